#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anemone/tensor/tensor.h"

// The elements of constants as the text form spells them. Not public.
namespace anemone::mil {

// Appends element `i` of a resident tensor: the shortest decimal that reads back as the same bits;
// "nan" for the usual quiet NaN and "nan(0xfe01)", the whole pattern, for any other; true, false;
// strings in quotes.
void append_element(std::string& out, const Tensor& tensor, std::int64_t i);

// Appends `text` in quotes, with \" \\ \n \r \t and, for other control characters and for bytes
// that are not UTF-8, \xNN.
void append_quoted(std::string& out, std::string_view text);

// Collects elements of one dtype, one by one, and makes a tensor of them.
class Elements {
 public:
  explicit Elements(DType dtype) : dtype_(dtype) {}

  std::int64_t count() const { return count_; }
  // Each says what is wrong, or gives an empty string. `number` is decimal or, for floats, C's
  // hexadecimal form, or inf, -inf, nan.
  [[nodiscard]] std::string add_number(std::string_view number);
  // The whole bit pattern of a float.
  [[nodiscard]] std::string add_pattern(std::uint64_t bits);
  [[nodiscard]] std::string add_bool(bool value);
  [[nodiscard]] std::string add_string(std::string text);
  // `shape` must have count() elements.
  Tensor finish(Shape shape);

 private:
  std::string add_float(std::string_view number);
  std::string add_integer(std::string_view number);

  DType dtype_;
  std::int64_t count_ = 0;
  std::vector<double> floats_;
  std::vector<std::int64_t> integers_;
  std::vector<std::string> strings_;
  // Patterns that neither of the above can carry, by element.
  std::vector<std::pair<std::int64_t, std::uint64_t>> patterns_;
};

}  // namespace anemone::mil
