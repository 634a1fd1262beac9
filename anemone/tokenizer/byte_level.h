#pragma once

#include <array>
#include <string>
#include <string_view>

namespace anemone {

// GPT-2's spelling of bytes: each byte is one printable character (those below U+0144).
// Source: openai/gpt-2, src/encoder.py, bytes_to_unicode.
std::string bytes_to_letters(std::string_view bytes);
// The byte that a letter stands for, or -1.
int letter_to_byte(char32_t letter);
// The letter of a byte, in UTF-8.
std::string_view byte_to_letter(unsigned char byte);

}  // namespace anemone
