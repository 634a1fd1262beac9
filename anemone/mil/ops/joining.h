#pragma once

#include "anemone/mil/ops/elements.h"

// What concat and stack share: many values of one dtype.
namespace anemone::mil::op {

// The values' common shape where they must agree, refined by whichever extents are known.
inline Shape common_shape(const Call& call, std::string_view parameter,
                          std::optional<std::size_t> but_for_axis) {
  const auto values = call.arguments(parameter);
  if (values.empty()) call.fail("parameter '" + std::string(parameter) + "' holds no values");
  Shape shape = values.front().type.shape;
  for (const Argument& value : values) {
    const Shape& other = value.type.shape;
    bool fits = other.size() == shape.size();
    for (std::size_t i = 0; fits && i < shape.size(); ++i) {
      if (but_for_axis && i == *but_for_axis) continue;
      fits = may_equal(shape[i], other[i]);
      if (shape[i] == kUnknown) shape[i] = other[i];
    }
    if (!fits) {
      call.fail("parameter '" + std::string(parameter) + "' holds shapes that do not agree: " +
                anemone::to_string(values.front().type.shape) + " and " +
                anemone::to_string(other));
    }
  }
  return shape;
}

// The dtype of many values: that of each, or the widest.
inline DType common_dtype(const Call& call, std::string_view parameter) {
  const auto values = call.arguments(parameter);
  DType dtype = values.front().type.dtype;
  for (const Argument& value : values) dtype = promoted(dtype, value.type.dtype);
  return dtype;
}

// Every value of a parameter, in memory, as `dtype`.
inline std::vector<Tensor> resident_values(const Call& call, std::string_view parameter,
                                           DType dtype) {
  std::vector<Tensor> tensors;
  for (const Argument& value : call.arguments(parameter)) {
    if (value.value == nullptr) {
      call.fail("a value of parameter '" + std::string(parameter) + "' is not known");
    }
    tensors.push_back(convert(*value.value, dtype).resident());
  }
  return tensors;
}

}  // namespace anemone::mil::op
