#pragma once

#include "anemone/mil/ops/elements.h"

// Ops that work along one axis, line by line.
namespace anemone::mil::op {

// Calls visit(at) for every line of `shape` along `axis`; at(i) is the number of its element i.
template <typename Visit>
void for_each_line(const Shape& shape, std::size_t axis, Visit visit) {
  const Shape strides = row_major_strides(shape);
  Shape starts = shape;
  starts[axis] = shape[axis] == 0 ? 0 : 1;
  for_each_index(starts, [&](const Shape& start) {
    const std::int64_t first = dot(start, strides);
    visit([first, step = strides[axis]](std::int64_t i) {
      return static_cast<std::size_t>(first + i * step);
    });
  });
}

// The places of a line's values from greatest to least (or least to greatest); equal ones keep
// their order, and NaN comes last.
inline std::vector<std::int64_t> sorted_places(const std::vector<double>& line, bool ascending) {
  std::vector<std::int64_t> places(line.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i);
  std::stable_sort(places.begin(), places.end(), [&](std::int64_t i, std::int64_t j) {
    const double a = line[static_cast<std::size_t>(i)];
    const double b = line[static_cast<std::size_t>(j)];
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
    return ascending ? a < b : a > b;
  });
  return places;
}

}  // namespace anemone::mil::op
