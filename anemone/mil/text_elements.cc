#include "anemone/mil/text_elements.h"

#include <charconv>
#include <limits>
#include <utility>

namespace anemone::mil {
namespace {

// The bits of element `i` of a float tensor.
std::uint64_t pattern_of(const Tensor& tensor, std::int64_t i) {
  const auto width = static_cast<std::size_t>(width_bits(tensor.dtype()) / 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, tensor.data().data() + static_cast<std::size_t>(i) * width, width);
  return bits;
}

// The NaN that the word "nan" stands for.
std::uint64_t usual_nan(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return 0x7e00;
    case DType::kBF16:
      return 0x7fc0;
    case DType::kF32:
      return 0x7fc00000;
    case DType::kF64:
      return 0x7ff8000000000000;
    case DType::kF8E5M2:
      return 0x7e;
    default:
      return 0x7f;
  }
}

template <typename T>
void append_number(std::string& out, T value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

// The shortest digits of `value` for which `reads_back` holds; 17 digits name every double.
template <typename ReadsBack>
void append_shortest(std::string& out, double value, ReadsBack reads_back) {
  char buffer[40];
  for (int digits = 1;; ++digits) {
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits)
            .ptr;
    double read = 0;
    std::from_chars(buffer, end, read);
    if (digits == 17 || reads_back(read)) {
      out.append(buffer, end);
      return;
    }
  }
}

void append_float(std::string& out, const Tensor& tensor, std::int64_t i) {
  const DType dtype = tensor.dtype();
  const std::uint64_t bits = pattern_of(tensor, i);
  const double value = tensor.number(i);
  if (std::isnan(value)) {
    out += "nan";
    if (bits == usual_nan(dtype)) return;
    char buffer[20];
    out += "(0x";
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, bits, 16).ptr);
    out += ')';
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  if (std::trunc(value) == value && std::abs(value) <= 65536) return append_number(out, value);
  switch (dtype) {
    case DType::kF32:
      return append_number(out, static_cast<float>(value));
    case DType::kF16:
      return append_shortest(out, value,
                             [&](double d) { return to_f16(static_cast<float>(d)).bits == bits; });
    case DType::kBF16:
      return append_shortest(out, value,
                             [&](double d) { return to_bf16(static_cast<float>(d)).bits == bits; });
    default:  // 64 bits wide, or 8 bits wide, whose values are all short
      return append_number(out, value);
  }
}

// The pattern of the 8-bit float nearest to `value`, ties to the even one; at least 256 if even the
// largest is too small.
std::uint64_t nearest_f8(DType dtype, double value) {
  std::vector<std::byte> patterns(256);
  for (std::size_t i = 0; i < 256; ++i) patterns[i] = static_cast<std::byte>(i);
  const Tensor all(dtype, {256}, own_bytes(std::move(patterns)));  // rare enough to make each time
  std::uint64_t best = 256;
  double least = std::numeric_limits<double>::infinity();
  double largest = 0, second = 0;
  for (std::uint64_t i = 0; i < 256; ++i) {
    const double candidate = all.number(static_cast<std::int64_t>(i));
    if (!std::isfinite(candidate) || std::signbit(candidate) != std::signbit(value)) continue;
    if (std::abs(candidate) > largest) second = std::exchange(largest, std::abs(candidate));
    const double off = std::abs(candidate - value);
    if (off < least || (off == least && i % 2 == 0)) {
      least = off;
      best = i;
    }
  }
  return std::abs(value) >= largest + (largest - second) / 2 ? 256 : best;
}

// The length of the UTF-8 sequence at the front of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies past U+10FFFF.
  if (first == 0xe0 && byte(1) < 0xa0) return 0;
  if (first == 0xed && byte(1) > 0x9f) return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) > 0x8f) return 0;
  return length;
}

std::string in_quotes(std::string_view word) { return "'" + std::string(word) + "'"; }

std::string does_not_fit(std::string_view word, DType dtype) {
  return in_quotes(word) + " does not fit " + std::string(name(dtype));
}

}  // namespace

void append_element(std::string& out, const Tensor& tensor, std::int64_t i) {
  const DType dtype = tensor.dtype();
  if (dtype == DType::kString) {
    append_quoted(out, tensor.strings()[static_cast<std::size_t>(i)]);
  } else if (dtype == DType::kBool) {
    out += tensor.integer(i) != 0 ? "true" : "false";
  } else if (is_float(dtype)) {
    append_float(out, tensor, i);
  } else if (dtype == DType::kU64) {
    append_number(out, static_cast<std::uint64_t>(tensor.integer(i)));
  } else {
    append_number(out, tensor.integer(i));
  }
}

void append_quoted(std::string& out, std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const char c = text.front();
    const auto byte = static_cast<unsigned char>(c);
    std::size_t length = 1;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f || utf8_length(text) == 0) {
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      length = utf8_length(text);
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  out += '"';
}

std::string Elements::add_float(std::string_view number) {
  const bool negative = number.starts_with('-');
  std::string_view digits = number;
  if (negative || number.starts_with('+')) digits.remove_prefix(1);
  if (digits == "nan") {
    if (negative) return "a NaN with a sign is written nan(0x...), as its whole pattern";
    return add_pattern(usual_nan(dtype_));
  }
  auto format = std::chars_format::general;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    digits.remove_prefix(2);
    format = std::chars_format::hex;
  }
  double value = 0;
  const auto read = [&](auto& into) {
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), into, format);
    value = static_cast<double>(into);
    if (result.ec == std::errc::result_out_of_range) return does_not_fit(number, dtype_);
    const bool whole = result.ec == std::errc() && result.ptr == digits.data() + digits.size();
    return whole && !digits.starts_with('-') ? std::string()
                                             : in_quotes(number) + " is not a number";
  };
  float narrow = 0;
  const std::string wrong = dtype_ == DType::kF32 ? read(narrow) : read(value);
  if (!wrong.empty()) return wrong;
  if (std::isnan(value)) return in_quotes(number) + " is not a number";
  if (negative) value = -value;
  const bool infinite = std::isinf(value);
  if (dtype_ == DType::kF8E4M3 || dtype_ == DType::kF8E5M2) {
    const std::uint64_t bits =
        infinite && dtype_ == DType::kF8E5M2 ? (negative ? 0xfc : 0x7c) : nearest_f8(dtype_, value);
    return bits > 255 ? does_not_fit(number, dtype_) : add_pattern(bits);
  }
  const bool overflows =
      (dtype_ == DType::kF16 && std::abs(value) >= static_cast<double>(kOverflowF16)) ||
      (dtype_ == DType::kBF16 && std::isinf(to_float(to_bf16(static_cast<float>(value)))));
  if (overflows && !infinite) return does_not_fit(number, dtype_);
  floats_.push_back(value);
  ++count_;
  return {};
}

std::string Elements::add_integer(std::string_view number) {
  std::string_view digits = number;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const char* end = digits.data() + digits.size();
  std::int64_t value = 0;
  auto result = std::from_chars(digits.data(), end, value);
  if (dtype_ == DType::kU64 && result.ec == std::errc::result_out_of_range &&
      !digits.starts_with('-')) {
    std::uint64_t large = 0;
    result = std::from_chars(digits.data(), end, large);
    if (result.ec == std::errc() && result.ptr == end) {
      patterns_.emplace_back(count_, large);
      integers_.push_back(0);
      ++count_;
      return {};
    }
  }
  if (result.ec == std::errc::result_out_of_range) return does_not_fit(number, dtype_);
  if (result.ec != std::errc() || result.ptr != end || (number.starts_with('+') && value < 0)) {
    return in_quotes(number) + " is not a whole number";
  }
  const int bits = width_bits(dtype_);
  const bool is_signed = info(dtype_).is_signed;
  const std::int64_t low = !is_signed   ? 0
                           : bits == 64 ? std::numeric_limits<std::int64_t>::min()
                                        : -(std::int64_t{1} << (bits - 1));
  const std::int64_t high = bits == 64 ? std::numeric_limits<std::int64_t>::max()
                                       : (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  if (value < low || value > high) return does_not_fit(number, dtype_);
  integers_.push_back(value);
  ++count_;
  return {};
}

std::string Elements::add_number(std::string_view number) {
  if (is_float(dtype_)) return add_float(number);
  if (is_int(dtype_)) return add_integer(number);
  return in_quotes(number) + " is not a " + std::string(name(dtype_));
}

std::string Elements::add_pattern(std::uint64_t bits) {
  const int width = width_bits(dtype_);
  if (!is_float(dtype_)) return "nan is not a " + std::string(name(dtype_));
  if (width < 64 && bits >> width != 0)
    return "the pattern does not fit " + std::string(name(dtype_));
  patterns_.emplace_back(count_++, bits);
  floats_.push_back(0);
  return {};
}

std::string Elements::add_bool(bool value) {
  if (dtype_ != DType::kBool) return "a bool is not a " + std::string(name(dtype_));
  integers_.push_back(value ? 1 : 0);
  ++count_;
  return {};
}

std::string Elements::add_string(std::string text) {
  if (dtype_ != DType::kString) return "a string is not a " + std::string(name(dtype_));
  strings_.push_back(std::move(text));
  ++count_;
  return {};
}

Tensor Elements::finish(Shape shape) {
  if (dtype_ == DType::kString) return Tensor::from_strings(std::move(shape), std::move(strings_));
  if (!is_float(dtype_) && patterns_.empty()) {
    return Tensor::from_ints(dtype_, std::move(shape), integers_);
  }
  const bool is_narrow = dtype_ == DType::kF8E4M3 || dtype_ == DType::kF8E5M2;
  std::vector<std::byte> bytes(anemone::size_bytes(dtype_, static_cast<std::uint64_t>(count_)));
  if (!is_narrow) {
    const Tensor plain = is_float(dtype_) ? Tensor::from_doubles(dtype_, shape, floats_)
                                          : Tensor::from_ints(dtype_, shape, integers_);
    const auto from = plain.data();
    std::copy(from.begin(), from.end(), bytes.begin());
  }
  const auto width = static_cast<std::size_t>(width_bits(dtype_) / 8);
  for (const auto& [i, bits] : patterns_) {
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * width, &bits, width);
  }
  return Tensor(dtype_, std::move(shape), own_bytes(std::move(bytes)));
}

}  // namespace anemone::mil
