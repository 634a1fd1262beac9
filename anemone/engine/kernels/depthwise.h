#pragma once

#include <algorithm>
#include <cstdint>

#include "anemone/engine/kernels/convolve.h"
#include "anemone/engine/kernels/finish.h"

namespace anemone::engine {

// How a convolution of each channel by itself is cut into units where planes are read as they lie:
// several small planes, which follow one another in the output, or a band of a large one.
struct DirectPlan {
  explicit DirectPlan(const ConvShape& s) : shape(s) {
    constexpr std::int64_t kUnitFloats = 4096;  // of the output: stays in the first cache
    constexpr std::int64_t kRows = 28;          // a multiple of what is done at a time
    planes = std::max<std::int64_t>(1, kUnitFloats / s.out_plane());
    rows = planes > 1 ? s.out[1]
                      : std::min(s.out[1],
                                 std::max<std::int64_t>(1, kUnitFloats / s.out[2] / kRows) * kRows);
    bands = (s.out[1] + rows - 1) / rows;
    all_planes = s.batch * s.groups * s.m;
  }

  ConvShape shape;              // axis 0 has extent 1
  std::int64_t planes = 1;      // of a unit
  std::int64_t rows = 1;        // of a unit, of each plane
  std::int64_t bands = 1;       // units of a plane
  std::int64_t all_planes = 1;  // of the output: batch and channels

  std::int64_t units() const { return (all_planes + planes - 1) / planes * bands; }
  std::int64_t unit_cost() const { return planes * rows * shape.out[2] * (shape.taps() + 4); }
};

// Rows [row, row + rows) of planes [plane, plane + planes) of the output.
struct DirectUnit {
  std::int64_t plane, planes, row, rows;
};

inline DirectUnit unit_at(const DirectPlan& p, std::int64_t i) {
  DirectUnit unit{};
  unit.plane = i / p.bands * p.planes;
  unit.planes = std::min(p.planes, p.all_planes - unit.plane);
  unit.row = i % p.bands * p.rows;
  unit.rows = std::min(p.rows, p.shape.out[1] - unit.row);
  return unit;
}

struct DirectMemory {
  const float* x;
  const float* weights;
  const float* bias;  // null: none
  float* y;
  Finish finish = {};
};

using DirectFunction = void (*)(const DirectPlan& plan, const DirectMemory& at,
                                const DirectUnit& unit);
constexpr std::int64_t kMostDirectWidth = 16;  // of a window

}  // namespace anemone::engine
