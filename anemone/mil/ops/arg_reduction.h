#pragma once

#include "anemone/mil/ops/lines.h"

// Where the extreme of each line is.
namespace anemone::mil::op {

inline constexpr InputDef kArgReductionInputs[] = {
    {.name = "x", .dtypes = kNumbers, .min_rank = 1},
    {.name = "axis",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{-1}},
    {.name = "keep_dims", .dtypes = kBools, .max_rank = 0, .is_const = true, .otherwise = false},
    {.name = "output_dtype",
     .dtypes = kStrings,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::string_view("int32"),
     .since = Opset::kIos17},
};

inline std::vector<Type> infer_arg_reduction(const Call& call) {
  const Type& x = call.type("x");
  const std::int64_t axis = call.axis("axis", x.rank());
  constexpr std::string_view kAllowed[] = {"int32", "uint16"};
  const DType dtype = *find_dtype_by_name(one_of(call, "output_dtype", kAllowed));
  if (x.shape[static_cast<std::size_t>(axis)] == 0) {
    call.fail("reduces over axis " + std::to_string(axis) + ", which is empty");
  }
  Shape shape = x.shape;
  if (call.boolean("keep_dims")) {
    shape[static_cast<std::size_t>(axis)] = 1;
  } else {
    shape.erase(shape.begin() + axis);
  }
  return {Type::tensor(dtype, shape)};
}

// The first element that kBeats every other; kBeats(candidate, best so far).
template <bool (*kBeats)(double, double)>
std::vector<Tensor> eval_arg_reduction(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  const auto axis = static_cast<std::size_t>(call.axis("axis", x.rank()));
  const std::vector<double> values = x.to_doubles();
  std::vector<double> y;
  for_each_line(x.shape(), axis, [&](auto at) {
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < x.shape()[axis]; ++i) {
      if (kBeats(values[at(i)], values[at(best)])) best = i;
    }
    y.push_back(static_cast<double>(best));
  });
  return {Tensor::from_doubles(type.dtype, type.shape, y)};
}

}  // namespace anemone::mil::op
