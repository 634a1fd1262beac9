#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "anemone/tensor/dtype.h"
#include "anemone/tensor/shape.h"

namespace anemone::engine {

// A tensor as it lies in one of the plan's memories. Strides count elements and may be 0 or
// negative.
struct View {
  int memory = -1;
  DType stored = DType::kF32;
  Shape shape;
  Shape strides;
  std::int64_t offset = 0;  // elements from the memory's start to the first element

  std::int64_t count() const { return element_count(shape); }
  // True if the elements follow one another in row-major order.
  bool is_dense() const;
  std::int64_t offset_bytes() const;
};

// A row-major view of a whole memory.
View dense_view(int memory, DType stored, Shape shape);

// The same elements under another shape; absent if strides cannot express it.
std::optional<View> reshaped(const View& view, const Shape& shape);
View transposed(const View& view, std::span<const std::int64_t> perm);
// With an axis of one element put in before axis `at`.
View expanded(const View& view, std::size_t at);
// `extents[i]` elements of each axis, `steps[i]` apart, from `begins[i]` on. All in bounds.
View sliced(const View& view, std::span<const std::int64_t> begins,
            std::span<const std::int64_t> extents, std::span<const std::int64_t> steps);

// `extent` elements of one axis from `begin` on, all of the others. In bounds.
View sliced(const View& view, std::size_t axis, std::int64_t begin, std::int64_t extent);

// Several views of one shape walked together: the axes merged as far as all of them allow, extents
// of 1 dropped. Never empty: a scalar has one axis of extent 1.
struct Walk {
  Shape extents;
  std::vector<Shape> strides;  // one for each view, as long as extents
};
// Views are stretched (numpy's rule) to `shape` first.
Walk merged_walk(const Shape& shape, std::span<const View* const> views);

// Strides that walk `view` along `shape`, to which it broadcasts.
Shape stretched(const View& view, const Shape& shape);

// "[1, 8, 64] at 128 by [512, 64, 1]", leaving out what a dense view would say anyway.
std::string to_string(const View& view);

}  // namespace anemone::engine
