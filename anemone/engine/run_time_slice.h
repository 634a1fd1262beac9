#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anemone/engine/kernel.h"

namespace anemone::engine {

// Where a slice of fixed extents begins, when its bounds may depend on values that only a call
// brings. Extents and steps are the plan's.
class RunTimeSlice {
 public:
  // Reads `begin` and, if the op has it, `end` of `l`'s op. Asks `l` for operands of those that
  // are not constant.
  // `x` is what is sliced, `extents` what the slice must come to along every axis of x (1 where it
  // is squeezed). Absent if the bounds are of a kind that cannot be read.
  static std::optional<RunTimeSlice> make(Lowering& l, const View& x, const Shape& extents);
  // Whether make() would succeed; asks for nothing.
  static bool can(const Lowering& l);

  // x's part, before the offset of a call.
  const View& part() const { return part_; }
  // Bytes from x's first element to the slice's. Throws Error(kBadInput) naming the op if the
  // bounds do not come to the extents.
  std::int64_t offset_bytes(const Run& run) const;

 private:
  struct Bounds {
    int operand = -1;                 // where they are read from, or
    std::vector<std::int64_t> fixed;  // what they are
    DType stored = DType::kI32;
    std::int64_t at(const Run& run, std::size_t axis) const;
  };
  static std::optional<Bounds> bounds(Lowering& l, std::string_view parameter);
  [[noreturn]] void fail(std::size_t axis, std::int64_t begin, std::int64_t count) const;

  std::string where_;
  Shape x_shape_;
  Shape x_strides_;  // in bytes
  Shape extents_;
  View part_;
  Bounds begin_;
  std::optional<Bounds> end_;  // absent: slice_by_size
  std::vector<std::int64_t> steps_;
  std::vector<bool> begin_masked_, end_masked_, squeezed_;
};

}  // namespace anemone::engine
