#pragma once

#include <cstdint>
#include <string>

#include "anemone/mil/program.h"

namespace anemone::plan {

// What one call of a function moves between memory and the engine, and computes, if every weight
// and every cache is read once and all that lies in between stays in the engine's own memory.
struct Traffic {
  std::string package = {};
  std::string function = {};
  std::uint64_t weight_bytes = 0;         // as the file stores them
  std::uint64_t cache_read_bytes = 0;     // every state that something but its own update reads
  std::uint64_t cache_written_bytes = 0;  // rows by slice_update, else the whole state
  std::uint64_t boundary_bytes = 0;       // inputs and outputs, a host's cache among them
  // What ops read and write besides, where a tensor is larger than the engine's memory may be.
  std::uint64_t spilled_bytes = 0;
  std::uint64_t flops = 0;
  bool is_exact = true;  // false if a call fixes some extent, which then counted as 1
  // The parts of the above that grow with the context.
  struct Growing {
    std::uint64_t cache_read_bytes = 0;
    std::uint64_t cache_written_bytes = 0;
    std::uint64_t boundary_bytes = 0;
    std::uint64_t spilled_bytes = 0;
    std::uint64_t flops = 0;
  };
  Growing growing = {};

  std::uint64_t bytes() const {
    return weight_bytes + cache_read_bytes + cache_written_bytes + boundary_bytes;
  }
};

// A tensor beyond this is taken to leave the engine's memory. The least that is reported: 2 MB on
// an M1 (ANEForge guide, arXiv 2606.22283); maderix/ANE finds about 32 MB on an M4.
inline constexpr std::uint64_t kSpillBytes = 2'000'000;

// What has an axis as long as `context`, or longer by less than 1,024 rows of a call, is taken to
// grow with it; 0: nothing does.
Traffic traffic_of(const mil::Function& function, std::int64_t context = 0);
// The same with another context.
Traffic with_context(Traffic traffic, double factor);

}  // namespace anemone::plan
