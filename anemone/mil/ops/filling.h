#pragma once

#include "anemone/mil/ops/slicing.h"

// Tensors of one value.
namespace anemone::mil::op {

inline constexpr InputDef kFillValue = {
    .name = "value", .dtypes = kMovable, .max_rank = 0, .is_const = true, .otherwise = 0.0};

inline DType fill_dtype(const Call& call) {
  return call.has("value") ? call.dtype("value") : DType::kF32;
}

// The shape that an integer vector spells, none negative.
inline Shape spelled_shape(const Call& call, std::string_view parameter) {
  const Tensor* value = call.find_tensor(parameter);
  if (value == nullptr) {
    const std::int64_t rank = call.shape(parameter)[0];
    if (rank == kUnknown || rank > 16) {
      call.fail("parameter '" + std::string(parameter) + "' has " +
                (rank == kUnknown ? "no known length" : std::to_string(rank) + " values"));
    }
    return Shape(static_cast<std::size_t>(rank), kUnknown);
  }
  Shape shape = value->to_ints();
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      call.fail("parameter '" + std::string(parameter) + "' holds " + std::to_string(extent));
    }
  }
  return shape;
}

inline Tensor filled(const Call& call, const Shape& shape) {
  const DType dtype = call.has("value") ? call.tensor("value").dtype() : DType::kF32;
  const std::vector<double> values(static_cast<std::size_t>(element_count(shape)),
                                   call.number("value"));
  return Tensor::from_doubles(dtype, shape, values);
}

}  // namespace anemone::mil::op
