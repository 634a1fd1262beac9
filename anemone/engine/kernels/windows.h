#pragma once

#include <cstdint>
#include <vector>

#include "anemone/engine/kernels/convolve.h"

namespace anemone::engine {

// For a WindowPlan of one band.
constexpr std::int64_t kWholePlane = std::int64_t{1} << 48;

// How windows slide over one plane of two axes: the plane is copied, padding and all, into one
// plane for each place that an element may have within a stride ("phase"). Then every tap is a
// shift, and an output row the sum of rows as they lie, whatever stride and dilation are.
struct WindowPlan {
  // Rows at a time such that a band of phases has this many floats.
  static constexpr std::int64_t kBandFloats = 6 * 1024;  // stay in the first cache
  explicit WindowPlan(const ConvShape& shape, std::int64_t band_floats = kBandFloats);

  ConvShape shape;                   // axis 0 has extent 1
  std::int64_t pitch = 0;            // of a row in phases and results
  std::int64_t rows = 0;             // of the output that are done at a time
  std::int64_t deep = 0;             // rows of a phase
  std::int64_t phase = 0;            // elements of a phase
  std::vector<bool> used;            // phases that some tap looks at
  std::vector<std::int32_t> shifts;  // of each tap, from the phases' start

  std::int64_t bands() const { return (shape.out[1] + rows - 1) / rows; }
  // Floats: phases, then results. Reads may pass the end of both by what kSlack allows.
  std::int64_t phases_floats() const;
  std::int64_t scratch_floats() const;
  static constexpr std::int64_t kSlack = 64;
};

inline WindowPlan::WindowPlan(const ConvShape& s, std::int64_t band_floats) : shape(s) {
  const std::int64_t down = (s.kernel[1] - 1) * s.dilation[1] / s.stride[1];
  const std::int64_t right = (s.kernel[2] - 1) * s.dilation[2] / s.stride[2];
  pitch = s.out[2] + right;
  const std::int64_t per_row = pitch * s.stride[1] * s.stride[2];
  rows = std::clamp<std::int64_t>(band_floats / std::max<std::int64_t>(1, per_row) - down, 1,
                                  s.out[1]);
  deep = rows + down;
  phase = deep * pitch;
  used.resize(static_cast<std::size_t>(s.stride[1] * s.stride[2]));
  for (std::int64_t h = 0; h < s.kernel[1]; ++h) {
    for (std::int64_t w = 0; w < s.kernel[2]; ++w) {
      const std::int64_t y = h * s.dilation[1];
      const std::int64_t x = w * s.dilation[2];
      const std::int64_t at = y % s.stride[1] * s.stride[2] + x % s.stride[2];
      used[static_cast<std::size_t>(at)] = true;
      shifts.push_back(
          static_cast<std::int32_t>(at * phase + y / s.stride[1] * pitch + x / s.stride[2]));
    }
  }
}

inline std::int64_t WindowPlan::phases_floats() const {
  return (static_cast<std::int64_t>(used.size()) * phase + kSlack + 15) / 16 * 16;
}

inline std::int64_t WindowPlan::scratch_floats() const {
  return phases_floats() + (rows * pitch + kSlack + 15) / 16 * 16;
}

}  // namespace anemone::engine
