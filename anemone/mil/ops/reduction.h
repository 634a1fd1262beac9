#pragma once

#include "anemone/mil/ops/elements.h"

// Reductions over axes: a file of theirs is a formula over the elements of one group.
namespace anemone::mil::op {

inline constexpr InputDef kReductionInputs[] = {
    {.name = "x", .dtypes = kNumbers},
    {.name = "axes", .dtypes = kInt32, .max_rank = 1, .is_const = true, .is_optional = true},
    {.name = "keep_dims", .dtypes = kBools, .max_rank = 0, .is_const = true, .otherwise = false},
};

// Which axes of a rank are reduced: those that `axes` names, or all of them.
inline std::vector<bool> reduced_axes(const Call& call, std::int64_t rank) {
  const auto given = call.find_integers("axes");
  std::vector<bool> reduced(static_cast<std::size_t>(rank), !given);
  if (!given) return reduced;
  for (const std::int64_t axis : checked_axes(call, "axes", *given, rank)) {
    reduced[static_cast<std::size_t>(axis)] = true;
  }
  return reduced;
}

inline std::vector<Type> infer_reduction(const Call& call) {
  const Type& x = call.type("x");
  const std::vector<bool> reduced = reduced_axes(call, x.rank());
  const bool keep = call.boolean("keep_dims");
  Shape shape;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    if (!reduced[i]) {
      shape.push_back(x.shape[i]);
    } else if (keep) {
      shape.push_back(1);
    }
  }
  return {Type::tensor(x.dtype, shape)};
}

// kOf gives a group's value from its elements, in row-major order.
template <double (*kOf)(std::span<const double>)>
std::vector<Tensor> eval_reduction(const Call& call) {
  const Tensor& x = call.tensor("x");
  const std::vector<bool> reduced = reduced_axes(call, x.rank());
  const Type type = resolved_type(call);
  Shape kept = x.shape();
  Shape group = x.shape();
  for (std::size_t i = 0; i < kept.size(); ++i) (reduced[i] ? kept : group)[i] = 1;
  const std::vector<double> values = x.to_doubles();
  const Shape strides = row_major_strides(x.shape());
  std::vector<double> y;
  std::vector<double> members;
  for_each_index(kept, [&](const Shape& start) {
    members.clear();
    for_each_index(group, [&](const Shape& step) {
      members.push_back(values[static_cast<std::size_t>(dot(start, strides) + dot(step, strides))]);
    });
    y.push_back(kOf(members));
  });
  return {Tensor::from_doubles(type.dtype, type.shape, y)};
}

// The same for formulas that an empty group has no value under.
template <double (*kOf)(std::span<const double>)>
std::vector<Tensor> eval_nonempty_reduction(const Call& call) {
  const Tensor& x = call.tensor("x");
  const std::vector<bool> reduced = reduced_axes(call, x.rank());
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (reduced[i] && x.shape()[i] == 0) {
      call.fail("reduces over axis " + std::to_string(i) + ", which is empty");
    }
  }
  return eval_reduction<kOf>(call);
}

}  // namespace anemone::mil::op
