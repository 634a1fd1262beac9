#pragma once

#include <string>
#include <string_view>

namespace anemone {

// Unicode as the reference tokenizers see it. They mix versions (see unicode_tables.inc), and a
// token id may hang on it, so anemone mixes the same ones.

bool is_white_space(char32_t code);  // the property White_Space
bool is_number(char32_t code);       // general category N, Unicode 17
bool is_punctuation(char32_t code);  // general category P, Unicode 8, and the ASCII symbols
bool is_control(char32_t code);      // Cc, Cf, Co but for tab, line feed and carriage return

enum class NormalForm { kNfc, kNfd, kNfkc, kNfkd };
// `text` is valid UTF-8. Code points that came after Unicode 9 are left as they are and block
// composition, as in the crate unicode-normalization-alignments 0.1.12.
std::string normalize(std::string_view text, NormalForm form);
// True if normalize() would change nothing; false may be wrong.
bool is_surely_normal(std::string_view text, NormalForm form);

// Lower case of each character by itself (no final sigma), Unicode 17.
std::string to_lower(std::string_view text);
bool is_mark(char32_t code);             // M of Unicode 9
bool is_nonspacing_mark(char32_t code);  // Mn of Unicode 8

// The items of a PCRE2 character class that bring its property `name` ("Lu", "L", "sc:Han") up to
// Unicode 16; empty if nothing is missing.
std::string newer_items(std::string_view name);

// The length in bytes of the extended grapheme cluster that `text` (valid, not empty) starts with.
std::size_t grapheme_length(std::string_view text);

}  // namespace anemone
