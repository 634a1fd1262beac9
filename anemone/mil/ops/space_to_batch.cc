#include "anemone/mil/ops/batching.h"

namespace anemone::mil {
namespace op::space_to_batch {

constexpr InputDef kInputs[] = {kImageX, kBlockShape, amounts_input("paddings")};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const Batching b = batching(call, "paddings");
  Shape shape = {multiplied(call, x.shape[0], times(call, b.block[0], b.block[1])), x.shape[1]};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t extent = x.shape[i + 2];
    shape.push_back(extent == kUnknown
                        ? kUnknown
                        : divided(call, i == 0 ? "padded height" : "padded width",
                                  extent + b.amounts[2 * i] + b.amounts[2 * i + 1], b.block[i]));
  }
  return {Type::tensor(x.dtype, shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  const Batching b = batching(call, "paddings");
  const Shape strides = row_major_strides(x.shape());
  const std::vector<double> values = x.to_doubles();
  std::vector<double> y;
  for_each_index(type.shape, [&](const Shape& at) {
    const std::int64_t block = at[0] / x.shape()[0];
    const std::int64_t row = at[2] * b.block[0] + block / b.block[1] - b.amounts[0];
    const std::int64_t column = at[3] * b.block[1] + block % b.block[1] - b.amounts[2];
    const bool inside = row >= 0 && row < x.shape()[2] && column >= 0 && column < x.shape()[3];
    y.push_back(inside ? values[static_cast<std::size_t>(
                             dot(Shape{at[0] % x.shape()[0], at[1], row, column}, strides))]
                       : 0);
  });
  return {Tensor::from_doubles(type.dtype, type.shape, y)};
}

}  // namespace op::space_to_batch

ANEMONE_DEFINE_OP(space_to_batch) = {
    .name = "space_to_batch",
    .says =
        "x padded with 0, each place of a block an image of its own: y[(i bw + j) N + n, c, h, "
        "w] = x[n, c, h bh + i, w bw + j]",
    .inputs = op::space_to_batch::kInputs,
    .infer = op::space_to_batch::infer,
    .eval = op::space_to_batch::eval,
};

}  // namespace anemone::mil
