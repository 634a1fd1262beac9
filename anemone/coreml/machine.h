#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace anemone::coreml {

// The machine as the system describes it. What the system does not say is empty or absent.
struct Machine {
  std::string model = {};       // "Mac16,1"
  std::string chip = {};        // "Apple M4"
  std::string os = {};          // "macOS"
  std::string os_version = {};  // "15.1"
  std::string os_build = {};    // "24B83"
  std::optional<std::uint64_t> memory_bytes = {};
  std::optional<int> processors = {};
  bool is_virtual = false;  // whose Neural Engine, if any, is not the machine's own
};
Machine describe_machine();

// What this process takes of the machine's memory: on macOS the physical footprint, which is what
// the system counts against it; on Linux the resident set.
struct Footprint {
  std::optional<std::uint64_t> now_bytes = {};
  std::optional<std::uint64_t> peak_bytes = {};
};
Footprint footprint();

}  // namespace anemone::coreml
