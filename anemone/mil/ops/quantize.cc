#include "anemone/mil/ops/quantization.h"

namespace anemone::mil {
namespace op::quantize {

constexpr InputDef kInputs[] = {
    {.name = "input", .dtypes = kFloats, .domain = 'T'},
    {.name = "zero_point",
     .dtypes = kQuantized,
     .max_rank = 1,
     .is_const = true,
     .is_optional = true},
    {.name = "scale", .dtypes = kFloats, .max_rank = 1, .is_const = true, .domain = 'T'},
    kQuantizationAxis,
    {.name = "output_dtype", .dtypes = kStrings, .max_rank = 0, .is_const = true},
};

DType output_dtype(const Call& call) {
  constexpr std::string_view kAllowed[] = {"int8", "uint8"};
  return *find_dtype_by_name(one_of(call, "output_dtype", kAllowed));
}

std::vector<Type> infer(const Call& call) {
  const DType dtype = output_dtype(call);
  if (call.has("zero_point") && call.dtype("zero_point") != dtype) {
    call.fail("parameter 'zero_point' is " + std::string(name(call.dtype("zero_point"))) +
              ", but output_dtype " + std::string(name(dtype)));
  }
  check_quantization(call);
  const Tensor* scale = call.find_tensor("scale");
  if (scale != nullptr) {
    const std::vector<double> scales = scale->to_doubles();
    if (std::all_of(scales.begin(), scales.end(), [](double s) { return s == 0; })) {
      call.fail("parameter 'scale' is 0");
    }
  }
  return {Type::tensor(dtype, call.shape("input"))};
}

std::vector<Tensor> eval(const Call& call) {
  resolved_type(call);
  return {requantized(call, output_dtype(call), [](double x, double scale, double zero) {
    return std::nearbyint(x / scale) + zero;  // the conversion to the dtype clips
  })};
}

}  // namespace op::quantize

ANEMONE_DEFINE_OP(quantize) = {
    .name = "quantize",
    .since = Opset::kIos17,
    .says = "y = clip(round(input / scale) + zero_point), ties to even, vectors along axis",
    .inputs = op::quantize::kInputs,
    .infer = op::quantize::infer,
    .eval = op::quantize::eval,
};

}  // namespace anemone::mil
