#include "anemone/mil/ops/batching.h"

namespace anemone::mil {
namespace op::batch_to_space {

constexpr InputDef kInputs[] = {kImageX, kBlockShape, amounts_input("crops")};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const Batching b = batching(call, "crops");
  Shape shape = {divided(call, "batch", x.shape[0], times(call, b.block[0], b.block[1])),
                 x.shape[1]};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t full = multiplied(call, x.shape[i + 2], b.block[i]);
    const std::int64_t cropped = b.amounts[2 * i] + b.amounts[2 * i + 1];
    if (full != kUnknown && cropped > full) {
      call.fail("crops " + std::to_string(cropped) + " of " + std::to_string(full) + " elements");
    }
    shape.push_back(full == kUnknown ? kUnknown : full - cropped);
  }
  return {Type::tensor(x.dtype, shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  const Batching b = batching(call, "crops");
  const Shape strides = row_major_strides(x.shape());
  return {rearranged(x, type.shape, [&](const Shape& at) {
    const std::int64_t row = at[2] + b.amounts[0];
    const std::int64_t column = at[3] + b.amounts[2];
    const std::int64_t block = row % b.block[0] * b.block[1] + column % b.block[1];
    return dot(Shape{block * type.shape[0] + at[0], at[1], row / b.block[0], column / b.block[1]},
               strides);
  })};
}

}  // namespace op::batch_to_space

ANEMONE_DEFINE_OP(batch_to_space) = {
    .name = "batch_to_space",
    .says = "y[n, c, h bh + i, w bw + j] = x[(i bw + j) N + n, c, h, w], cropped; N images of y",
    .inputs = op::batch_to_space::kInputs,
    .infer = op::batch_to_space::infer,
    .eval = op::batch_to_space::eval,
};

}  // namespace anemone::mil
