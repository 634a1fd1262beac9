#include "anemone/tensor/tensor.h"

#include <limits>

#include "anemone/base/error.h"

namespace anemone {
namespace {

std::int64_t integer_limit(DType dtype, bool upper) {
  const DTypeInfo& row = info(dtype);
  const int bits = row.width_bits;
  if (!row.is_signed) {
    if (!upper) return 0;
    return bits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << bits) - 1;
  }
  if (bits == 64) {
    return upper ? std::numeric_limits<std::int64_t>::max()
                 : std::numeric_limits<std::int64_t>::min();
  }
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  return upper ? half - 1 : -half;
}

// 8-bit floats: sign, `exponent_bits`, the rest mantissa. E4M3FN has no infinity, one NaN pattern.
// Source: Micikevicius et al., "FP8 Formats for Deep Learning", table 1.
double fp8_to_double(std::uint8_t bits, bool e5m2) {
  const int mantissa_bits = e5m2 ? 2 : 3;
  const int bias = e5m2 ? 15 : 7;
  const int exponent = (bits & 0x7f) >> mantissa_bits;
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const double sign = (bits & 0x80) ? -1 : 1;
  const int top = e5m2 ? 31 : 15;
  if (exponent == top && e5m2) {
    return mantissa ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == top && mantissa == 7) return std::numeric_limits<double>::quiet_NaN();
  const double scale = 1 << mantissa_bits;
  if (exponent == 0) return sign * std::ldexp(mantissa / scale, 1 - bias);
  return sign * std::ldexp(1 + mantissa / scale, exponent - bias);
}

template <typename T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

std::int64_t load_integer(DType dtype, const std::byte* data, std::int64_t i) {
  switch (dtype) {
    case DType::kBool:
    case DType::kU8:
      return load<std::uint8_t>(data + i);
    case DType::kI8:
      return load<std::int8_t>(data + i);
    case DType::kI16:
      return load<std::int16_t>(data + 2 * i);
    case DType::kU16:
      return load<std::uint16_t>(data + 2 * i);
    case DType::kI32:
      return load<std::int32_t>(data + 4 * i);
    case DType::kU32:
      return load<std::uint32_t>(data + 4 * i);
    case DType::kI64:
    case DType::kU64:
      return load<std::int64_t>(data + 8 * i);
    default:
      break;
  }
  const int bits = width_bits(dtype);
  int value = 0;
  for (int b = 0; b < bits; ++b) {
    const std::int64_t bit = i * bits + b;
    value |= ((std::to_integer<int>(data[bit / 8]) >> (bit % 8)) & 1) << b;
  }
  if (info(dtype).is_signed && (value >> (bits - 1)) != 0) value -= 1 << bits;
  return value;
}

double load_number(DType dtype, const std::byte* data, std::int64_t i) {
  switch (dtype) {
    case DType::kF16:
      return to_float(load<f16>(data + 2 * i));
    case DType::kBF16:
      return to_float(load<bf16>(data + 2 * i));
    case DType::kF32:
      return load<float>(data + 4 * i);
    case DType::kF64:
      return load<double>(data + 8 * i);
    case DType::kF8E4M3:
      return fp8_to_double(load<std::uint8_t>(data + i), false);
    case DType::kF8E5M2:
      return fp8_to_double(load<std::uint8_t>(data + i), true);
    case DType::kU64:
      return static_cast<double>(load<std::uint64_t>(data + 8 * i));
    default:
      return static_cast<double>(load_integer(dtype, data, i));
  }
}

template <typename T>
void store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof(T));
}

void store_integer(DType dtype, std::byte* data, std::int64_t i, std::int64_t value) {
  switch (width_bits(dtype)) {
    case 8:
      return store(data + i, static_cast<std::int8_t>(value));
    case 16:
      return store(data + 2 * i, static_cast<std::int16_t>(value));
    case 32:
      return store(data + 4 * i, static_cast<std::int32_t>(value));
    case 64:
      return store(data + 8 * i, value);
    default:
      break;
  }
  const int bits = width_bits(dtype);
  for (int b = 0; b < bits; ++b) {
    const std::int64_t bit = i * bits + b;
    const auto mask = static_cast<std::byte>(1 << (bit % 8));
    data[bit / 8] &= ~mask;
    if ((value >> b) & 1) data[bit / 8] |= mask;
  }
}

void store_number(DType dtype, std::byte* data, std::int64_t i, double value) {
  switch (dtype) {
    case DType::kF16:
      // double -> float -> half would round twice; step through the half grid instead: a float that
      // was rounded to odd keeps what the second rounding needs.
      {
        float narrow = static_cast<float>(value);
        if (!std::isnan(value) && std::isfinite(narrow) && static_cast<double>(narrow) != value) {
          auto bits = std::bit_cast<std::uint32_t>(narrow);
          const bool away = std::abs(static_cast<double>(narrow)) > std::abs(value);
          if (away && (bits & 0x7fffffffu) != 0) bits -= 1;  // now truncated towards zero
          bits |= 1;
          narrow = std::bit_cast<float>(bits);
        }
        store(data + 2 * i, to_f16(narrow));
      }
      return;
    case DType::kBF16:
      return store(data + 2 * i, to_bf16(static_cast<float>(value)));
    case DType::kF32:
      return store(data + 4 * i, static_cast<float>(value));
    case DType::kF64:
      return store(data + 8 * i, value);
    case DType::kBool:
      return store(data + i, static_cast<std::uint8_t>(value != 0));
    default:
      break;
  }
  ANEMONE_CHECK(is_int(dtype)) << name(dtype) << " cannot be written";
  const std::int64_t low = integer_limit(dtype, false);
  const std::int64_t high = integer_limit(dtype, true);
  std::int64_t whole = 0;
  if (value <= static_cast<double>(low)) {
    whole = low;
  } else if (value >= static_cast<double>(high)) {
    whole = high;
  } else if (value == value) {
    whole = static_cast<std::int64_t>(value);
  }
  store_integer(dtype, data, i, whole);
}

template <typename T>
Tensor from_values(DType dtype, Shape shape, std::span<const T> values) {
  const std::int64_t count = element_count(shape);
  ANEMONE_CHECK(count == static_cast<std::int64_t>(values.size())) << to_string(shape);
  std::vector<std::byte> bytes(size_bytes(dtype, static_cast<std::uint64_t>(count)));
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_integral_v<T>) {
      if (is_int(dtype)) {
        ANEMONE_CHECK(values[i] >= integer_limit(dtype, false) &&
                      values[i] <= integer_limit(dtype, true))
            << values[i] << " does not fit " << name(dtype);
        store_integer(dtype, bytes.data(), i, values[i]);
        continue;
      }
    }
    store_number(dtype, bytes.data(), i, static_cast<double>(values[i]));
  }
  return Tensor(dtype, std::move(shape), own_bytes(std::move(bytes)));
}

}  // namespace

Tensor::Tensor(DType dtype, Shape shape, std::shared_ptr<const Bytes> bytes)
    : dtype_(dtype), shape_(std::move(shape)), bytes_(std::move(bytes)) {
  ANEMONE_CHECK(bytes_ != nullptr);
  const auto needed =
      anemone::size_bytes(dtype_, static_cast<std::uint64_t>(element_count(shape_)));
  ANEMONE_CHECK(bytes_->size_bytes() == needed)
      << name(dtype_) << to_string(shape_) << " in " << bytes_->size_bytes() << " bytes";
}

Tensor Tensor::from_floats(DType dtype, Shape shape, std::span<const float> values) {
  return from_values(dtype, std::move(shape), values);
}
Tensor Tensor::from_doubles(DType dtype, Shape shape, std::span<const double> values) {
  return from_values(dtype, std::move(shape), values);
}
Tensor Tensor::from_ints(DType dtype, Shape shape, std::span<const std::int64_t> values) {
  return from_values(dtype, std::move(shape), values);
}

Tensor Tensor::from_strings(Shape shape, std::vector<std::string> values) {
  ANEMONE_CHECK(element_count(shape) == static_cast<std::int64_t>(values.size()));
  Tensor result;
  result.dtype_ = DType::kString;
  result.shape_ = std::move(shape);
  result.strings_ = std::move(values);
  return result;
}

Tensor Tensor::scalar(DType dtype, double value) {
  return from_doubles(dtype, {}, std::span(&value, 1));
}
Tensor Tensor::scalar_bool(bool value) { return scalar(DType::kBool, value ? 1 : 0); }
Tensor Tensor::scalar_string(std::string value) { return from_strings({}, {std::move(value)}); }

Tensor Tensor::ints(std::span<const std::int64_t> values) {
  return from_ints(DType::kI32, {static_cast<std::int64_t>(values.size())}, values);
}

Tensor Tensor::bools(std::span<const bool> values) {
  std::vector<std::byte> bytes(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) bytes[i] = static_cast<std::byte>(values[i]);
  return Tensor(DType::kBool, {static_cast<std::int64_t>(values.size())},
                own_bytes(std::move(bytes)));
}

Tensor Tensor::resident() const {
  if (is_resident()) return *this;
  std::vector<std::byte> bytes(bytes_->size_bytes());
  bytes_->read(0, bytes);
  return Tensor(dtype_, shape_, own_bytes(std::move(bytes)));
}

std::span<const std::byte> Tensor::data() const {
  ANEMONE_CHECK(is_resident());
  return bytes_ ? bytes_->view() : std::span<const std::byte>{};
}

std::vector<double> Tensor::to_doubles() const {
  const Tensor here = resident();
  std::vector<double> values(static_cast<std::size_t>(count()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = load_number(dtype_, here.data().data(), static_cast<std::int64_t>(i));
  }
  return values;
}

std::vector<float> Tensor::to_floats() const {
  const Tensor here = resident();
  std::vector<float> values(static_cast<std::size_t>(count()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] =
        static_cast<float>(load_number(dtype_, here.data().data(), static_cast<std::int64_t>(i)));
  }
  return values;
}

std::vector<std::int64_t> Tensor::to_ints() const {
  const Tensor here = resident();
  std::vector<std::int64_t> values(static_cast<std::size_t>(count()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = here.integer(static_cast<std::int64_t>(i));
  }
  return values;
}

double Tensor::number(std::int64_t i) const {
  ANEMONE_CHECK(i >= 0 && i < count());
  return load_number(dtype_, data().data(), i);
}

std::int64_t Tensor::integer(std::int64_t i) const {
  ANEMONE_CHECK(i >= 0 && i < count());
  if (is_float(dtype_)) return static_cast<std::int64_t>(load_number(dtype_, data().data(), i));
  return load_integer(dtype_, data().data(), i);
}

Tensor Tensor::reshaped(Shape shape) const {
  ANEMONE_CHECK(element_count(shape) == count()) << to_string(shape_) << to_string(shape);
  Tensor result = *this;
  result.shape_ = std::move(shape);
  return result;
}

bool operator==(const Tensor& a, const Tensor& b) {
  if (a.dtype_ != b.dtype_ || a.shape_ != b.shape_ || a.strings_ != b.strings_) return false;
  if (a.bytes_ == b.bytes_) return true;
  const Tensor x = a.resident();
  const Tensor y = b.resident();
  return std::equal(x.data().begin(), x.data().end(), y.data().begin(), y.data().end());
}

Tensor convert(const Tensor& from, DType to) {
  if (from.dtype() == to) return from;
  if (is_float(from.dtype())) return Tensor::from_doubles(to, from.shape(), from.to_doubles());
  if (is_float(to) || to == DType::kBool) {
    return Tensor::from_doubles(to, from.shape(), from.to_doubles());
  }
  auto values = from.to_ints();
  for (auto& value : values) {
    value = std::clamp(value, integer_limit(to, false), integer_limit(to, true));
  }
  return Tensor::from_ints(to, from.shape(), values);
}

}  // namespace anemone
