#include "anemone/mil/ops/constexpr.h"

namespace anemone::mil {
namespace op::constexpr_affine_dequantize {

constexpr InputDef kInputs[] = {
    {.name = "quantized_data", .dtypes = kBytes, .min_rank = 1, .is_const = true},
    {.name = "zero_point", .dtypes = kBytes | bit(DType::kF32), .max_rank = 1, .is_const = true},
    {.name = "scale", .dtypes = kFloats, .max_rank = 1, .is_const = true},
    {.name = "axis", .dtypes = kInt32, .max_rank = 0, .is_const = true},
};

std::vector<Type> infer(const Call& call) {
  const Type& data = call.type("quantized_data");
  const auto axis = static_cast<std::size_t>(call.axis("axis", data.rank()));
  for (const std::string_view parameter : {"scale", "zero_point"}) {
    if (call.type(parameter).rank() == 1) require_shape(call, parameter, {data.shape[axis]});
  }
  return {Type::tensor(call.dtype("scale"), data.shape)};
}

std::vector<Tensor> eval(const Call& call) {
  resolved_type(call);
  const Tensor& data = call.tensor("quantized_data");
  const std::vector<double> scale = call.tensor("scale").to_doubles();
  const std::vector<double> zero = call.tensor("zero_point").to_doubles();
  const auto axis = static_cast<std::size_t>(call.axis("axis", data.rank()));
  const auto step = static_cast<std::size_t>(row_major_strides(data.shape())[axis]);
  const auto length = static_cast<std::size_t>(std::max<std::int64_t>(data.shape()[axis], 1));
  std::vector<double> y = data.to_doubles();
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t slot = i / step % length;
    y[i] = scale[scale.size() > 1 ? slot : 0] * (y[i] - zero[zero.size() > 1 ? slot : 0]);
  }
  return {Tensor::from_doubles(call.tensor("scale").dtype(), data.shape(), y)};
}

}  // namespace op::constexpr_affine_dequantize

ANEMONE_DEFINE_OP(constexpr_affine_dequantize) = {
    .name = "constexpr_affine_dequantize",
    .since = Opset::kIos16,
    .says = "y = scale (quantized_data - zero_point), vectors along axis",
    .inputs = op::constexpr_affine_dequantize::kInputs,
    .infer = op::constexpr_affine_dequantize::infer,
    .eval = op::constexpr_affine_dequantize::eval,
};

}  // namespace anemone::mil
