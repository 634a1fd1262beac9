#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace anemone {

// Extents, outermost first. kUnknown marks a dimension that only a call fixes.
using Shape = std::vector<std::int64_t>;
inline constexpr std::int64_t kUnknown = -1;

// Product of known extents. The shape must be fully known and small enough (ANEMONE_CHECK); use
// checked_element_count on outside data.
std::int64_t element_count(std::span<const std::int64_t> shape);
// Absent if an extent is negative or the product would pass 2^48.
std::optional<std::int64_t> checked_element_count(std::span<const std::int64_t> shape);
bool is_known(std::span<const std::int64_t> shape);

// Row-major strides in elements.
Shape row_major_strides(std::span<const std::int64_t> shape);

// Numpy's rule: right-aligned, 1 stretches. Absent if two extents disagree. An unknown against 1
// stays unknown; an unknown against n > 1 becomes n.
std::optional<Shape> broadcast(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

// "[1, 64, ?]"
std::string to_string(std::span<const std::int64_t> shape);

}  // namespace anemone
