#include "anemone/mil/ops/blocks.h"

namespace anemone::mil {
namespace op::pixel_shuffle {

constexpr InputDef kInputs[] = {kImageX, block_input("upscale_factor")};

std::vector<Type> infer(const Call& call) {
  return infer_to_space(call, block_size(call, "upscale_factor"));
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  const std::int64_t b = block_size(call, "upscale_factor");
  const Shape strides = row_major_strides(x.shape());
  return {rearranged(x, type.shape, [&](const Shape& at) {
    const std::int64_t block = at[2] % b * b + at[3] % b;
    return dot(Shape{at[0], at[1] * b * b + block, at[2] / b, at[3] / b}, strides);
  })};
}

}  // namespace op::pixel_shuffle

ANEMONE_DEFINE_OP(pixel_shuffle) = {
    .name = "pixel_shuffle",
    .says = "y[n, c, h f + i, w f + j] = x[n, (c f + i) f + j, h, w], f upscale_factor",
    .inputs = op::pixel_shuffle::kInputs,
    .infer = op::pixel_shuffle::infer,
    .eval = op::pixel_shuffle::eval,
};

}  // namespace anemone::mil
