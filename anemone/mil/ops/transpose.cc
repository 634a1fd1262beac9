#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::transpose {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kMovable, .ios17_dtypes = kMovableIos17},
    {.name = "perm", .dtypes = kInt32, .min_rank = 1, .max_rank = 1, .is_const = true},
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<std::int64_t> permutation(const Call& call, std::int64_t rank) {
  std::vector<std::int64_t> perm = call.integers("perm");
  if (static_cast<std::int64_t>(perm.size()) != rank) {
    call.fail("parameter 'perm' has " + std::to_string(perm.size()) + " values; expected " +
              std::to_string(rank));
  }
  return checked_axes(call, "perm", std::move(perm), rank);
}

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  Shape shape;
  for (const std::int64_t axis : permutation(call, x.rank())) {
    shape.push_back(x.shape[static_cast<std::size_t>(axis)]);
  }
  return {Type::tensor(x.dtype, shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Tensor& x = call.tensor("x");
  const Shape own = row_major_strides(x.shape());
  Shape strides;
  Shape shape;
  for (const std::int64_t axis : permutation(call, x.rank())) {
    strides.push_back(own[static_cast<std::size_t>(axis)]);
    shape.push_back(x.shape()[static_cast<std::size_t>(axis)]);
  }
  return {rearranged(x, shape, [&](const Shape& index) { return dot(index, strides); })};
}

}  // namespace op::transpose

ANEMONE_DEFINE_OP(transpose) = {
    .name = "transpose",
    .revised = op::transpose::kRevised,
    .says = "axis i of y is axis perm[i] of x",
    .inputs = op::transpose::kInputs,
    .infer = op::transpose::infer,
    .eval = op::transpose::eval,
};

}  // namespace anemone::mil
