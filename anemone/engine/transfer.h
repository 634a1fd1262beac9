#pragma once

#include <cstdint>

#include "anemone/engine/view.h"

namespace anemone::engine {

// Copies the elements of one view to another of the same shape, changing how floats are stored
// (to kF16 rounds to nearest even). `from` may broadcast. Made once; run() may be called by several
// threads on different pieces.
class Transfer {
 public:
  Transfer() = default;
  // `rounds`: what arrives as kF32 becomes what binary16 can hold.
  Transfer(const View& from, const View& to, bool rounds = false);
  // False if there is no way from one storage to the other.
  static bool can(DType from, DType to);

  // What may be copied apart, and about how many elements that is.
  std::int64_t pieces() const;
  std::int64_t piece_count() const;
  // Pointers to the first element of each view.
  void run(const void* from, void* to, std::int64_t begin, std::int64_t end) const noexcept;
  void run(const void* from, void* to) const noexcept { run(from, to, 0, pieces()); }

  // Loops over one or two inner axes: strides in elements.
  struct Inner {
    std::int64_t rows = 1, columns = 1;
    std::int64_t from_row = 0, from_column = 1;
    std::int64_t to_row = 0, to_column = 1;
  };
  using Function = void (*)(const void* from, void* to, const Inner& inner);

 private:
  enum class Cut : std::uint8_t { kOuter, kRows, kColumns };

  Shape extents_;       // the axes outside of inner_, the outermost first
  Shape from_strides_;  // in bytes
  Shape to_strides_;
  std::int64_t outer_ = 1;
  std::int64_t from_bytes_ = 0;  // of one element
  std::int64_t to_bytes_ = 0;
  Cut cut_ = Cut::kColumns;
  Inner inner_;
  Function function_ = nullptr;
};

}  // namespace anemone::engine
