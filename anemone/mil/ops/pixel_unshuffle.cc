#include "anemone/mil/ops/blocks.h"

namespace anemone::mil {
namespace op::pixel_unshuffle {

constexpr InputDef kInputs[] = {kImageX,
                                block_input("downscale_factor", bit(DType::kU32) | kInt32)};

std::vector<Type> infer(const Call& call) {
  return infer_to_depth(call, block_size(call, "downscale_factor"));
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  const std::int64_t b = block_size(call, "downscale_factor");
  const Shape strides = row_major_strides(x.shape());
  return {rearranged(x, type.shape, [&](const Shape& at) {
    const std::int64_t block = at[1] % (b * b);
    return dot(Shape{at[0], at[1] / (b * b), at[2] * b + block / b, at[3] * b + block % b},
               strides);
  })};
}

}  // namespace op::pixel_unshuffle

ANEMONE_DEFINE_OP(pixel_unshuffle) = {
    .name = "pixel_unshuffle",
    .since = Opset::kIos16,
    .says = "y[n, (c f + i) f + j, h, w] = x[n, c, h f + i, w f + j], f downscale_factor",
    .inputs = op::pixel_unshuffle::kInputs,
    .infer = op::pixel_unshuffle::infer,
    .eval = op::pixel_unshuffle::eval,
};

}  // namespace anemone::mil
