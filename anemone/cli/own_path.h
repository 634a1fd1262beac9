#pragma once

#include <string>

namespace anemone::cli {

// The file of this very program, as something that can be run. Throws Error(kIo).
std::string own_path();

}  // namespace anemone::cli
