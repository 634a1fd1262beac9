#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "anemone/engine/kernel.h"
#include "anemone/engine/view.h"

namespace anemone::engine {

// Elements worth a piece of their own when work is shared out.
inline constexpr std::int64_t kGrainElements = 16384;

// Up to kOperands tensors walked together, row by row: the innermost merged axis is the row.
template <std::size_t kOperands>
class Rows {
 public:
  // The operands stretch to `shape`.
  Rows(const Shape& shape, const std::array<const View*, kOperands>& views)
      : walk_(merged_walk(shape, views)) {
    length_ = walk_.extents.back();
    for (std::size_t v = 0; v < kOperands; ++v) strides_[v] = walk_.strides[v].back();
    for (std::size_t i = 0; i + 1 < walk_.extents.size(); ++i) rows_ *= walk_.extents[i];
  }

  std::int64_t length() const { return length_; }
  std::int64_t stride(std::size_t operand) const { return strides_[operand]; }

  // Calls body(offsets, n) for runs of at most length() elements; offsets are in elements.
  template <typename Body>
  void share(const Run& run, const Body& body) const {
    if (rows_ == 1) {
      run.share(length_, kGrainElements, [&](std::int64_t begin, std::int64_t end) {
        std::array<std::int64_t, kOperands> at;
        for (std::size_t v = 0; v < kOperands; ++v) at[v] = begin * strides_[v];
        body(at, end - begin);
      });
      return;
    }
    const std::int64_t grain =
        std::max<std::int64_t>(1, kGrainElements / std::max<std::int64_t>(1, length_));
    run.share(rows_, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        std::array<std::int64_t, kOperands> at{};
        std::int64_t rest = row;
        for (std::size_t i = walk_.extents.size() - 1; i-- > 0;) {
          const std::int64_t index = rest % walk_.extents[i];
          rest /= walk_.extents[i];
          for (std::size_t v = 0; v < kOperands; ++v) at[v] += index * walk_.strides[v][i];
        }
        body(at, length_);
      }
    });
  }

 private:
  Walk walk_;
  std::int64_t length_ = 1;
  std::int64_t rows_ = 1;
  std::array<std::int64_t, kOperands> strides_{};
};

// A tensor as [outer, middle, inner] around a run of axes [first, last).
struct Around {
  std::int64_t outer = 1, middle = 1, inner = 1;

  Around(const Shape& shape, std::size_t first, std::size_t last) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      (i < first ? outer : i < last ? middle : inner) *= shape[i];
    }
  }
};

// The tensor around the axes that a parameter names (all, where it is not bound); absent if they
// are no single run. Axes of extent 1 count as named or not, as it suits.
inline std::optional<Around> around_axes(const Shape& shape, const Lowering& l,
                                         std::string_view parameter) {
  std::vector<bool> named(shape.size(), !l.has(parameter));
  if (l.has(parameter)) {
    for (std::int64_t axis : l.call().integers(parameter)) {
      if (axis < 0) axis += static_cast<std::int64_t>(shape.size());
      named[static_cast<std::size_t>(axis)] = true;
    }
  }
  std::size_t first = shape.size(), last = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!named[i] || shape[i] == 1) continue;
    first = std::min(first, i);
    last = i + 1;
  }
  if (last == 0) first = 0;
  for (std::size_t i = first; i < last; ++i) {
    if (!named[i] && shape[i] != 1) return std::nullopt;
  }
  return Around(shape, first, last);
}

// Calls work(outer, begin, end) for pieces of what lies around the middle: of the outer indices
// where inner is 1 (then `outer` is 0), else of the inner ones under each outer index. The latter
// come sixteen at a time, which fills a cache line and every target's vector.
template <typename Work>
void share_around(const Run& run, const Around& around, const Work& work) {
  const std::int64_t grain =
      std::max<std::int64_t>(1, kGrainElements / std::max<std::int64_t>(1, around.middle));
  if (around.inner == 1) {
    run.share(around.outer, grain,
              [&](std::int64_t begin, std::int64_t end) { work(std::int64_t{0}, begin, end); });
    return;
  }
  constexpr std::int64_t kColumns = 16;
  for (std::int64_t o = 0; o < around.outer; ++o) {
    run.share((around.inner + kColumns - 1) / kColumns, std::max<std::int64_t>(1, grain / kColumns),
              [&](std::int64_t begin, std::int64_t end) {
                work(o, begin * kColumns, std::min(end * kColumns, around.inner));
              });
  }
}

}  // namespace anemone::engine
