#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "anemone/base/bytes.h"
#include "anemone/base/check.h"
#include "anemone/base/half.h"
#include "anemone/tensor/dtype.h"
#include "anemone/tensor/shape.h"

namespace anemone {

// An immutable dense value: dtype, shape, row-major little-endian bytes (sub-byte elements packed
// least significant bit first, bool one byte each). Copies share the bytes. Strings are kept apart,
// in `strings`. Safe to read from several threads.
class Tensor {
 public:
  Tensor() = default;
  // `bytes` must hold exactly size_bytes(dtype, element_count(shape)).
  Tensor(DType dtype, Shape shape, std::shared_ptr<const Bytes> bytes);

  // Element by element from C++ values; floats round to the dtype, integers must fit it.
  static Tensor from_floats(DType dtype, Shape shape, std::span<const float> values);
  static Tensor from_doubles(DType dtype, Shape shape, std::span<const double> values);
  static Tensor from_ints(DType dtype, Shape shape, std::span<const std::int64_t> values);
  static Tensor from_strings(Shape shape, std::vector<std::string> values);
  static Tensor scalar(DType dtype, double value);
  static Tensor scalar_bool(bool value);
  static Tensor scalar_string(std::string value);
  static Tensor ints(std::span<const std::int64_t> values);  // int32 vector
  static Tensor bools(std::span<const bool> values);         // bool vector

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  std::int64_t rank() const { return static_cast<std::int64_t>(shape_.size()); }
  std::int64_t count() const { return element_count(shape_); }
  std::size_t size_bytes() const { return bytes_ ? bytes_->size_bytes() : 0; }
  const std::shared_ptr<const Bytes>& bytes() const { return bytes_; }
  const std::vector<std::string>& strings() const { return strings_; }

  // True when the bytes lie in memory or in a map, so that data() costs nothing.
  bool is_resident() const {
    return !bytes_ || bytes_->size_bytes() == 0 || !bytes_->view().empty();
  }
  // The same value with bytes in memory.
  Tensor resident() const;
  // The bytes; must be resident.
  std::span<const std::byte> data() const;
  // As T; sizeof(T) must be the dtype's width. Must be resident.
  template <typename T>
  std::span<const T> as() const {
    ANEMONE_CHECK(static_cast<int>(sizeof(T)) * 8 == width_bits(dtype_)) << name(dtype_);
    const auto raw = data();
    return {reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T)};
  }

  // Every element widened. Work for any numeric dtype, sub-byte ones included; bool is 0 or 1.
  std::vector<double> to_doubles() const;
  std::vector<float> to_floats() const;
  std::vector<std::int64_t> to_ints() const;
  // Element `i` alone.
  double number(std::int64_t i) const;
  std::int64_t integer(std::int64_t i) const;

  // The same bytes under another shape of equal element count.
  Tensor reshaped(Shape shape) const;

  // Equal dtype, shape and bytes (so NaN equals itself, and 0 does not equal -0).
  friend bool operator==(const Tensor& a, const Tensor& b);

 private:
  DType dtype_ = DType::kF32;
  Shape shape_;
  std::shared_ptr<const Bytes> bytes_;
  std::vector<std::string> strings_;
};

// Converts element by element, rounding to nearest even; out-of-range integers saturate, floats
// become infinity. Float to integer truncates towards zero, as MIL's cast does.
Tensor convert(const Tensor& from, DType to);

}  // namespace anemone
