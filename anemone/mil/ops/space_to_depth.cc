#include "anemone/mil/ops/blocks.h"

namespace anemone::mil {
namespace op::space_to_depth {

constexpr InputDef kInputs[] = {kImageX, block_input("block_size")};

std::vector<Type> infer(const Call& call) {
  return infer_to_depth(call, block_size(call, "block_size"));
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  const std::int64_t b = block_size(call, "block_size");
  const Shape strides = row_major_strides(x.shape());
  return {rearranged(x, type.shape, [&](const Shape& at) {
    const std::int64_t channels = x.shape()[1];
    const std::int64_t block = at[1] / channels;
    return dot(Shape{at[0], at[1] % channels, at[2] * b + block / b, at[3] * b + block % b},
               strides);
  })};
}

}  // namespace op::space_to_depth

ANEMONE_DEFINE_OP(space_to_depth) = {
    .name = "space_to_depth",
    .says =
        "y[n, (i b + j) C + c, h, w] = x[n, c, h b + i, w b + j], C channels of x, b block_size",
    .inputs = op::space_to_depth::kInputs,
    .infer = op::space_to_depth::infer,
    .eval = op::space_to_depth::eval,
};

}  // namespace anemone::mil
