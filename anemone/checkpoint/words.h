#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "anemone/base/error.h"

namespace anemone {

// A name out of a file, fit for a message: 'name', control characters and broken UTF-8 as \xNN, cut
// after 200 bytes.
std::string in_quotes(std::string_view name);

// "'a', 'b' and 3 more": as many as `most` of the names.
std::string listed(std::span<const std::string> names, std::size_t most = 8);

[[noreturn]] inline void bad_input(const std::string& message) {
  throw Error(Code::kBadInput, message);
}

// Throws if `start`, a file's first bytes, say that it is a Git LFS pointer and not the file
// itself.
void refuse_lfs_pointer(std::string_view start, const std::string& file);

}  // namespace anemone
