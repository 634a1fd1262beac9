#include "anemone/mil/ops/blocks.h"

namespace anemone::mil {
namespace op::depth_to_space {

constexpr InputDef kInputs[] = {kImageX, block_input("block_size")};

std::vector<Type> infer(const Call& call) {
  return infer_to_space(call, block_size(call, "block_size"));
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  const std::int64_t b = block_size(call, "block_size");
  const Shape strides = row_major_strides(x.shape());
  return {rearranged(x, type.shape, [&](const Shape& at) {
    const std::int64_t block = at[2] % b * b + at[3] % b;
    return dot(Shape{at[0], block * type.shape[1] + at[1], at[2] / b, at[3] / b}, strides);
  })};
}

}  // namespace op::depth_to_space

ANEMONE_DEFINE_OP(depth_to_space) = {
    .name = "depth_to_space",
    .says =
        "y[n, c, h b + i, w b + j] = x[n, (i b + j) C + c, h, w], C channels of y, b block_size",
    .inputs = op::depth_to_space::kInputs,
    .infer = op::depth_to_space::infer,
    .eval = op::depth_to_space::eval,
};

}  // namespace anemone::mil
