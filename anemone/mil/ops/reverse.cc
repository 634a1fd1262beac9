#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::reverse {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kMovable, .ios17_dtypes = kMovableIos17},
    {.name = "axes", .dtypes = kInt32, .max_rank = 1, .is_const = true, .is_optional = true},
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<bool> reversed_axes(const Call& call, std::int64_t rank) {
  const auto given = call.find_integers("axes");
  std::vector<bool> reversed(static_cast<std::size_t>(rank), !given);
  if (!given) return reversed;
  for (const std::int64_t axis : checked_axes(call, "axes", *given, rank)) {
    reversed[static_cast<std::size_t>(axis)] = true;
  }
  return reversed;
}

std::vector<Type> infer(const Call& call) {
  reversed_axes(call, call.type("x").rank());
  return {call.type("x")};
}

std::vector<Tensor> eval(const Call& call) {
  const Tensor& x = call.tensor("x");
  const std::vector<bool> reversed = reversed_axes(call, x.rank());
  const Shape strides = row_major_strides(x.shape());
  return {rearranged(x, x.shape(), [&](Shape index) {
    for (std::size_t i = 0; i < index.size(); ++i) {
      if (reversed[i]) index[i] = x.shape()[i] - 1 - index[i];
    }
    return dot(index, strides);
  })};
}

}  // namespace op::reverse

ANEMONE_DEFINE_OP(reverse) = {
    .name = "reverse",
    .revised = op::reverse::kRevised,
    .says = "x from back to front along axes (all of them where none are named)",
    .inputs = op::reverse::kInputs,
    .infer = op::reverse::infer,
    .eval = op::reverse::eval,
};

}  // namespace anemone::mil
