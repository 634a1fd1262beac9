#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "anemone/engine/kernels/finish.h"
#include "anemone/engine/kernels/windows.h"

namespace anemone::engine {

// A convolution over two axes as sums over shifted planes: every plane is copied once, zeros around
// it (windows.h), and then each term of a sum, a tap of a channel, is found at a fixed distance
// from where the sum lies. Sums come by vectors of `lanes` neighbours in such a plane: from the
// start of each row of the output on, or, if that takes fewer, over all rows as they lie, where
// some lanes fall between two rows and are for nobody.
struct SlidingPlan {
  SlidingPlan(const ConvShape& conv, std::int64_t lanes_of_target)
      : shape(conv), windows(conv, kWholePlane), lanes(lanes_of_target) {
    const std::int64_t height = shape.out[1];
    const std::int64_t width = shape.out[2];
    plane = static_cast<std::int64_t>(windows.used.size()) * windows.phase;
    const std::int64_t row_vectors = (width + lanes - 1) / lanes;
    const std::int64_t flat = (height - 1) * windows.pitch + width;
    by_rows = height * row_vectors <= (flat + lanes - 1) / lanes;
    vectors = by_rows ? height * row_vectors : (flat + lanes - 1) / lanes;
    row_count = row_vectors;
    for (std::int64_t c = 0; c < shape.c; ++c) {
      for (const std::int32_t shift : windows.shifts) terms.push_back(c * plane + shift);
    }
  }

  ConvShape shape;
  WindowPlan windows;  // of whole planes
  std::int64_t lanes = 1;
  std::int64_t plane = 0;           // floats of one channel's phases
  bool by_rows = false;             // vectors start with rows
  std::int64_t row_count = 0;       // vectors of a row, then
  std::int64_t vectors = 0;         // of one image
  std::vector<std::int64_t> terms;  // of each term of a group's sums, where its plane's element is

  std::int64_t planes() const { return shape.batch * shape.groups * shape.c; }
  // Reads may pass the end by what kSlack allows.
  std::int64_t phases_floats() const { return planes() * plane + WindowPlan::kSlack; }
  // Whether most lanes are somebody's, and the copy is not too large.
  bool is_worth_it() const {
    constexpr std::int64_t kMostFloats = std::int64_t{1} << 23;
    return 10 * shape.out[1] * shape.out[2] >= 7 * vectors * lanes &&
           phases_floats() <= kMostFloats;
  }

  // Where vector i of an image starts in the padded plane.
  std::int64_t start(std::int64_t i) const {
    return by_rows ? i / row_count * windows.pitch + i % row_count * lanes : i * lanes;
  }
  // The first element of an image's plane of the output that is in vector i or a later one.
  std::int64_t first_of(std::int64_t i) const {
    const std::int64_t at = start(i);
    const std::int64_t width = shape.out[2];
    return i >= vectors ? shape.out[1] * width
                        : at / windows.pitch * width + std::min(at % windows.pitch, width);
  }
};

// Channels [row, row + rows) of a group, vectors [vector, vector + vectors) of all images taken
// together.
struct SlidingPiece {
  std::int64_t group, row, rows, vector, vectors;
};

struct SlidingMemory {
  const float* phases;
  const void* w;
  const float* bias;  // null: none
  float* y;
  float* scratch;
  Finish finish = {};
};

}  // namespace anemone::engine
