#pragma once

#include <string>
#include <string_view>

namespace anemone {

// Sets of characters as items of a PCRE2 character class, in the Unicode version that the reference
// tokenizers know (see unicode_tables.inc).

inline constexpr std::string_view kSpaceItems = "\\p{White_Space}";
inline constexpr std::string_view kHexItems = "0-9A-Fa-f";

// \w inside a class.
std::string word_items();
// A general category by its short name: "L", "Lu".
std::string category_items(std::string_view name);
// A POSIX bracket: "alpha". Empty if there is none of that name.
std::string posix_items(std::string_view name);
// \p{name}: a general category, a script or a property, spelled loosely. Empty if nobody knows it.
std::string property_items(std::string_view name);

}  // namespace anemone
