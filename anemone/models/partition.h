#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace anemone::models {

struct Range {
  std::int64_t first = 0;
  std::int64_t count = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

// The most that `auto` puts into one part: Mac reports of trouble start at 0.9 GB, and chunks of
// 200 to 500 MB are the ones known to run. Source: the size rows W01 to W06 of docs/rules.md.
inline constexpr std::int64_t kMaxPartBytes = 500'000'000;
// The most outputs of one tile of the head. Source: admissible extent 16,384, docs/rules.md L04.
inline constexpr std::int64_t kMaxTileRows = 16384;

// Cuts layers of the given stored sizes into `parts` runs so that the largest is as small as can
// be; 0 parts: the fewest of at most kMaxPartBytes each (a single larger layer gets a part of its
// own). `parts` must be at most the number of layers.
std::vector<Range> cut_layers(std::span<const std::int64_t> layer_bytes, std::int64_t parts);

// Cuts `rows` outputs into `tiles` of equal width, a multiple of 32 (of 128 where that leaves no
// tile empty), the last taking the rest; 0 tiles: the fewest of at most kMaxTileRows. Empty if so
// many tiles cannot be had.
std::vector<Range> cut_head(std::int64_t rows, std::int64_t tiles);

}  // namespace anemone::models
