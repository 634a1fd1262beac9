#include "anemone/coreml/arrays.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "anemone/base/half.h"

namespace anemone::coreml {
namespace {

// One element as a double, in which every dtype at hand is exact.
double element(DType dtype, const std::byte* at) {
  const auto as = [at](auto value) {
    std::memcpy(&value, at, sizeof(value));
    return value;
  };
  switch (dtype) {
    case DType::kF16:
      return to_float(as(f16{}));
    case DType::kF64:
      return as(0.0);
    case DType::kI32:
      return as(std::int32_t{0});
    case DType::kI8:
      return as(std::int8_t{0});
    case DType::kBool:
      return as(std::uint8_t{0}) != 0 ? 1 : 0;
    default:
      return as(0.0f);
  }
}

template <typename Integer>
Integer held(double value) {
  if (std::isnan(value)) return 0;
  constexpr double kLow = std::numeric_limits<Integer>::min();
  constexpr double kHigh = std::numeric_limits<Integer>::max();
  return static_cast<Integer>(std::fmin(std::fmax(std::trunc(value), kLow), kHigh));
}

void set_element(DType dtype, std::byte* at, double value) {
  const auto put = [at](auto stored) { std::memcpy(at, &stored, sizeof(stored)); };
  switch (dtype) {
    // By way of float: exact but for what came as double, which rounds twice.
    case DType::kF16:
      put(to_f16(static_cast<float>(value)));
      break;
    case DType::kF64:
      put(value);
      break;
    case DType::kI32:
      put(held<std::int32_t>(value));
      break;
    case DType::kI8:
      put(held<std::int8_t>(value));
      break;
    case DType::kBool:
      put(static_cast<std::uint8_t>(value != 0));
      break;
    default:
      put(static_cast<float>(value));
      break;
  }
}

std::int64_t width_bytes(DType dtype) { return dtype == DType::kBool ? 1 : width_bits(dtype) / 8; }

// Calls `row(index of its first element in row-major order, offset in the array, elements)` for
// every run along the last axis.
template <typename Row>
void for_each_row(const ArrayView& view, const Row& row) {
  const std::size_t rank = view.shape.size();
  const std::int64_t columns = rank == 0 ? 1 : view.shape.back();
  const std::int64_t rows = columns == 0 ? 0 : element_count(view.shape) / columns;
  Shape index(rank, 0);
  for (std::int64_t i = 0; i < rows; ++i) {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis + 1 < rank; ++axis) offset += index[axis] * view.strides[axis];
    row(i * columns, offset, columns);
    for (std::size_t axis = rank < 2 ? 0 : rank - 1; axis-- > 0;) {
      if (++index[axis] < view.shape[axis]) break;
      index[axis] = 0;
    }
  }
}

}  // namespace

std::string problem_of(const ArrayView& view, std::int64_t count) {
  switch (view.dtype) {
    case DType::kF16:
    case DType::kF32:
    case DType::kF64:
    case DType::kI32:
    case DType::kI8:
      break;
    default:
      return "has an element type that is not known";
  }
  if (view.strides.size() != view.shape.size()) {
    return "has " + std::to_string(view.strides.size()) + " strides; its shape " +
           to_string(view.shape) + " asks for " + std::to_string(view.shape.size());
  }
  if (checked_element_count(view.shape) != count) {
    return "has the shape " + to_string(view.shape) + "; " + std::to_string(count) +
           " elements were expected";
  }
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < view.shape.size(); ++axis) {
    const std::int64_t steps = view.shape[axis] - 1;
    const std::int64_t stride = view.strides[axis];
    if (stride < 0) return "has a stride of " + std::to_string(stride);
    if (steps > 0 && stride > (view.size_bytes - last) / steps) {
      return "has strides that lead past its " + std::to_string(view.size_bytes) + " bytes";
    }
    if (steps > 0) last += steps * stride;
  }
  if (count > 0 && last >= view.size_bytes / width_bytes(view.dtype)) {
    return "has strides that lead past its " + std::to_string(view.size_bytes) + " bytes";
  }
  return "";
}

void copy_in(const engine::Feed& from, const ArrayView& view, void* data) noexcept {
  const auto* source = static_cast<const std::byte*>(from.data);
  auto* target = static_cast<std::byte*>(data);
  const std::int64_t in = width_bytes(from.dtype), out = width_bytes(view.dtype);
  const std::int64_t step = view.shape.empty() ? 1 : view.strides.back();
  for_each_row(view, [&](std::int64_t first, std::int64_t offset, std::int64_t columns) {
    if (from.dtype == view.dtype && step == 1) {
      std::memcpy(target + offset * out, source + first * in,
                  static_cast<std::size_t>(columns * in));
      return;
    }
    for (std::int64_t i = 0; i < columns; ++i) {
      set_element(view.dtype, target + (offset + i * step) * out,
                  element(from.dtype, source + (first + i) * in));
    }
  });
}

void copy_out(const ArrayView& view, const void* data, const engine::Fetch& to) noexcept {
  const auto* source = static_cast<const std::byte*>(data);
  auto* target = static_cast<std::byte*>(to.data);
  const std::int64_t in = width_bytes(view.dtype), out = width_bytes(to.dtype);
  const std::int64_t step = view.shape.empty() ? 1 : view.strides.back();
  for_each_row(view, [&](std::int64_t first, std::int64_t offset, std::int64_t columns) {
    if (to.dtype == view.dtype && step == 1) {
      std::memcpy(target + first * out, source + offset * in,
                  static_cast<std::size_t>(columns * in));
      return;
    }
    for (std::int64_t i = 0; i < columns; ++i) {
      set_element(to.dtype, target + (first + i) * out,
                  element(view.dtype, source + (offset + i * step) * in));
    }
  });
}

}  // namespace anemone::coreml
