#pragma once

#include "anemone/mil/ops/elements.h"

// What quantize and dequantize share: one scale and zero point, or one for each slot of an axis.
namespace anemone::mil::op {

inline constexpr DTypeSet kQuantized = bit(DType::kI8) | bit(DType::kU8);
inline constexpr InputDef kQuantizationAxis = {
    .name = "axis", .dtypes = kInt32, .max_rank = 0, .is_const = true, .is_optional = true};

// Source: coremltools 9.0, mil/ops/defs/iOS17/quantization_ops.py.
inline void check_quantization(const Call& call) {
  const Type& input = call.type("input");
  const bool is_vector = call.type("scale").rank() == 1;
  if (is_vector != call.has("axis")) {
    call.fail(is_vector ? "has a vector of scales, but no axis"
                        : "has one scale, but also an axis");
  }
  if (call.has("zero_point") && call.type("zero_point").rank() != call.type("scale").rank()) {
    call.fail("parameter 'zero_point' has shape " + anemone::to_string(call.shape("zero_point")) +
              ", but scale " + anemone::to_string(call.shape("scale")));
  }
  if (!is_vector) return;
  const auto axis = static_cast<std::size_t>(call.axis("axis", input.rank()));
  require_shape(call, "scale", {input.shape[axis]});
  if (call.has("zero_point")) require_shape(call, "zero_point", {input.shape[axis]});
}

// y = f(x, scale, zero point) on every element of the input, as `dtype`.
template <typename F>
Tensor requantized(const Call& call, DType dtype, F f) {
  const Tensor& x = call.tensor("input");
  const std::vector<double> scale = call.tensor("scale").to_doubles();
  const Tensor* zero_point = call.find_tensor("zero_point");
  const std::vector<double> zero =
      zero_point ? zero_point->to_doubles() : std::vector<double>(scale.size());
  std::size_t step = 1;
  std::size_t slots = 1;
  if (call.has("axis")) {
    const auto axis = static_cast<std::size_t>(call.axis("axis", x.rank()));
    step = static_cast<std::size_t>(row_major_strides(x.shape())[axis]);
    slots = std::max<std::size_t>(scale.size(), 1);
  }
  std::vector<double> y = x.to_doubles();
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t slot = i / step % slots;
    y[i] = f(y[i], scale[slot], zero[slot]);
  }
  return Tensor::from_doubles(dtype, x.shape(), y);
}

}  // namespace anemone::mil::op
