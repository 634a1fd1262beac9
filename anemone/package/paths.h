#pragma once

#include <string_view>

namespace anemone::package {

// Whether `path` stays below the folder it is relative to, whatever that folder holds: no absolute
// path, no "..", no empty step.
bool stays_inside(std::string_view path);

// No path inside of a package is longer.
inline constexpr std::size_t kMaxPathBytes = 1024;

}  // namespace anemone::package
