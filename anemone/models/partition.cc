#include "anemone/models/partition.h"

#include <algorithm>
#include <numeric>

#include "anemone/base/check.h"

namespace anemone::models {
namespace {

// Greedy runs of at most `limit` bytes, but at least one layer each.
std::vector<Range> fill(std::span<const std::int64_t> bytes, std::int64_t limit) {
  std::vector<Range> runs;
  std::int64_t used = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (runs.empty() || bytes[i] > limit - used) {
      runs.push_back({static_cast<std::int64_t>(i), 0});
      used = 0;
    }
    runs.back().count++;
    used += bytes[i];
  }
  return runs;
}

}  // namespace

std::vector<Range> cut_layers(std::span<const std::int64_t> layer_bytes, std::int64_t parts) {
  ANEMONE_CHECK(!layer_bytes.empty());
  if (parts == 0) parts = static_cast<std::int64_t>(fill(layer_bytes, kMaxPartBytes).size());
  ANEMONE_CHECK(parts >= 1 && parts <= static_cast<std::int64_t>(layer_bytes.size())) << parts;

  // The smallest limit that needs no more than `parts` runs.
  std::int64_t low = *std::max_element(layer_bytes.begin(), layer_bytes.end());
  std::int64_t high = std::accumulate(layer_bytes.begin(), layer_bytes.end(), std::int64_t{0});
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (static_cast<std::int64_t>(fill(layer_bytes, middle).size()) <= parts) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  std::vector<Range> runs = fill(layer_bytes, high);
  // Filling greedily leaves the last run short, and may need fewer runs than asked for: level by
  // moving single layers from a run to its right neighbour, and split the longest while runs lack.
  const auto weight = [&](const Range& run) {
    return std::accumulate(layer_bytes.begin() + run.first,
                           layer_bytes.begin() + run.first + run.count, std::int64_t{0});
  };
  while (static_cast<std::int64_t>(runs.size()) < parts) {
    const auto longest = std::max_element(
        runs.begin(), runs.end(), [](const Range& a, const Range& b) { return a.count < b.count; });
    const std::int64_t half = (longest->count + 1) / 2;
    const Range right = {longest->first + half, longest->count - half};
    longest->count = half;
    runs.insert(longest + 1, right);
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
      Range& left = runs[i];
      Range& right = runs[i + 1];
      const std::int64_t last = layer_bytes[static_cast<std::size_t>(left.first + left.count - 1)];
      if (left.count > 1 && weight(right) + last < weight(left)) {
        left.count--;
        right.first--;
        right.count++;
        moved = true;
      }
    }
  }
  return runs;
}

std::vector<Range> cut_head(std::int64_t rows, std::int64_t tiles) {
  ANEMONE_CHECK(rows > 0 && tiles >= 0);
  if (tiles == 0) tiles = (rows + kMaxTileRows - 1) / kMaxTileRows;
  if (tiles == 1) return {{0, rows}};
  for (const std::int64_t multiple : {128, 32}) {
    const std::int64_t width = ((rows + tiles - 1) / tiles + multiple - 1) / multiple * multiple;
    if (width * (tiles - 1) >= rows) continue;  // the last would be empty
    std::vector<Range> cut;
    for (std::int64_t first = 0; first < rows; first += width) {
      cut.push_back({first, std::min(width, rows - first)});
    }
    return cut;
  }
  return {};
}

}  // namespace anemone::models
