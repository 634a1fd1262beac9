#pragma once

// Which vector instructions the kernels are compiled for. Include before any of Highway's headers:
// SSSE3 alone (of 2006 to 2008) is not worth its compile time.
#define HWY_DISABLED_TARGETS HWY_SSSE3

#include <string>
#include <string_view>
#include <vector>

namespace anemone::engine {

// The best target of this machine, unless the environment variable ANEMONE_TARGET names another.
// Decided once a process. Throws Error(kUsage) naming those that the machine has.
void choose_target();
// "avx3": what plans made from now on use.
std::string_view target_name();
// All that this machine can run, best first: "avx3", "avx2", "sse4", "scalar".
std::vector<std::string> supported_targets();
// For tests: uses `name` from now on; empty goes back to the best.
void set_target_for_test(std::string_view name);

}  // namespace anemone::engine
