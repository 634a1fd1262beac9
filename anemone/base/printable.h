#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace anemone {

// A stranger's text, fit for a line of a message or a terminal: control characters (C0, DEL and
// UTF-8's C1) become \xNN, and what is longer than `most` bytes ends in "...".
std::string printable(std::string_view text, std::size_t most = 4096);

}  // namespace anemone
