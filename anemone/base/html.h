#pragma once

#include <string>
#include <string_view>

namespace anemone {

// `text` as it may stand in an HTML or SVG element or in a quoted attribute: markup becomes
// entities, control characters become spaces.
std::string html_escaped(std::string_view text);

}  // namespace anemone
