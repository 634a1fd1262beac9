#pragma once

#include <string_view>

namespace anemone::package {

// Whether `path` stays below the folder it is relative to, whatever that folder holds: no absolute
// path, no "..", no empty step.
bool stays_inside(std::string_view path);

}  // namespace anemone::package
