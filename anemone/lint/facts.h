#pragma once

#include <span>
#include <string_view>

namespace anemone::lint {

// One row of the table of published facts about placement on the Neural Engine that the catalogue
// was made from. Ids are stable; records and reports refer to them.
struct Fact {
  std::string_view id = {};       // "T01"
  std::string_view says = {};     // in a few words
  std::string_view why_not = {};  // why no rule covers it; "" where one does
};

std::span<const Fact> facts();
const Fact* find_fact(std::string_view id);  // null if there is none

}  // namespace anemone::lint
