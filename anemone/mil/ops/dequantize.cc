#include "anemone/mil/ops/quantization.h"

namespace anemone::mil {
namespace op::dequantize {

constexpr InputDef kInputs[] = {
    {.name = "input", .dtypes = kQuantized, .domain = 'S'},
    {.name = "zero_point",
     .dtypes = kQuantized,
     .max_rank = 1,
     .is_const = true,
     .is_optional = true,
     .domain = 'S'},
    {.name = "scale", .dtypes = kFloats, .max_rank = 1, .is_const = true},
    kQuantizationAxis,
};

std::vector<Type> infer(const Call& call) {
  check_quantization(call);
  return {Type::tensor(call.dtype("scale"), call.shape("input"))};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  return {requantized(call, type.dtype,
                      [](double x, double scale, double zero) { return scale * (x - zero); })};
}

}  // namespace op::dequantize

ANEMONE_DEFINE_OP(dequantize) = {
    .name = "dequantize",
    .since = Opset::kIos17,
    .says = "y = scale (input - zero_point), vectors along axis",
    .inputs = op::dequantize::kInputs,
    .infer = op::dequantize::infer,
    .eval = op::dequantize::eval,
};

}  // namespace anemone::mil
