#pragma once

#include <span>
#include <string>
#include <string_view>

namespace anemone::cli {

// How many characters must be inserted, dropped, changed or swapped with their neighbour to make
// one word of the other.
int edit_distance(std::string_view a, std::string_view b);

// "; did you mean '--context'?" with the nearest name, or nothing if none is near.
std::string suggestion(std::string_view word, std::span<const std::string_view> names);

}  // namespace anemone::cli
