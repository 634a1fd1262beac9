#include "anemone/models/partition.h"

#include <algorithm>
#include <limits>
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
  // Of the cuts within that limit, the evenest: the least sum of squares, the earlier part being
  // the larger one where two are as good. best[p][i]: layers from i on in p parts.
  const auto layers = static_cast<std::int64_t>(layer_bytes.size());
  std::vector<double> sums(layer_bytes.size() + 1, 0);
  for (std::size_t i = 0; i < layer_bytes.size(); ++i) {
    sums[i + 1] = sums[i] + static_cast<double>(layer_bytes[i]);
  }
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const auto size = static_cast<std::size_t>(layers + 1);
  std::vector<std::vector<double>> best(static_cast<std::size_t>(parts + 1),
                                        std::vector<double>(size, kNever));
  std::vector<std::vector<std::int64_t>> taken(static_cast<std::size_t>(parts + 1),
                                               std::vector<std::int64_t>(size, 0));
  best[0][static_cast<std::size_t>(layers)] = 0;
  for (std::size_t p = 1; p <= static_cast<std::size_t>(parts); ++p) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(layers); ++i) {
      for (std::size_t end = static_cast<std::size_t>(layers); end > i; --end) {
        const double weight = sums[end] - sums[i];
        if (weight > static_cast<double>(high) && end > i + 1) continue;
        const double cost = weight * weight + best[p - 1][end];
        if (cost < best[p][i]) {
          best[p][i] = cost;
          taken[p][i] = static_cast<std::int64_t>(end - i);
        }
      }
    }
  }
  std::vector<Range> runs;
  for (std::int64_t first = 0, p = parts; p > 0; --p) {
    const std::int64_t count = taken[static_cast<std::size_t>(p)][static_cast<std::size_t>(first)];
    runs.push_back({first, count});
    first += count;
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
