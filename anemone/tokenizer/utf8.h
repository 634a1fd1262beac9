#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace anemone {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

// One step over bytes that need not be UTF-8.
struct Utf8Step {
  char32_t code = 0;           // valid only if ok
  std::size_t size_bytes = 0;  // of the character, or of the maximal subpart that is broken
  bool ok = false;
  bool cut_short = false;  // broken only because the text ends: more bytes could mend it
};
// `text` must not be empty. A broken part is a maximal subpart of an ill-formed sequence.
// Source: The Unicode Standard 15.0, section 3.9, table 3-7 and "U+FFFD Substitution".
Utf8Step utf8_step(std::string_view text);

// Every broken maximal subpart becomes one U+FFFD.
std::string repair_utf8(std::string_view bytes);
bool is_utf8(std::string_view bytes);

// For text known to be valid UTF-8.
inline std::size_t utf8_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}
// The character at `at`, which moves behind it.
char32_t next_code(std::string_view text, std::size_t& at);
// The start of the character that ends at `at` (which is not 0).
std::size_t previous_start(std::string_view text, std::size_t at);
void append_code(std::string& text, char32_t code);
std::size_t count_codes(std::string_view text);
// At most `count` characters from the start.
std::string_view first_codes(std::string_view text, std::size_t count);

}  // namespace anemone
