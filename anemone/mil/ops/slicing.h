#pragma once

#include "anemone/mil/ops/elements.h"

// x[begin : end : stride] along every axis, as slice_by_index and slice_update mean it.
namespace anemone::mil::op {

inline constexpr DTypeSet kMovable = kNumbers | kBools;  // what ops that only move elements take
inline constexpr DTypeSet kMovableIos17 = kMovable | kSmallInts;
inline constexpr DTypeSet kIndexIos17 = bit(DType::kI8) | bit(DType::kI16) | bit(DType::kI32);

// A vector parameter with one value for each axis; absent when it is not bound or not yet known.
inline std::optional<std::vector<std::int64_t>> find_per_axis(const Call& call,
                                                              std::string_view parameter,
                                                              std::int64_t rank) {
  if (!call.has(parameter)) return std::nullopt;
  const Shape& shape = call.shape(parameter);
  if (shape.size() != 1 || !may_equal(shape[0], rank)) {
    call.fail("parameter '" + std::string(parameter) + "' has shape " + anemone::to_string(shape) +
              "; expected [" + std::to_string(rank) + "]");
  }
  const Tensor* value = call.find_tensor(parameter);
  if (value == nullptr) return std::nullopt;
  return value->to_ints();
}

struct AxisSlice {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t count = kUnknown;
  bool squeezed = false;  // the output has no such axis
};

// begin, end and stride of one axis; absent where masked or not known.
struct AxisBounds {
  std::optional<std::int64_t> begin, end;
  std::int64_t stride = 1;
  bool begin_masked = false, end_masked = false;
};

// Numpy's rule: negative indices count from the end, and bounds past either end are cut off.
inline AxisSlice solve_axis(const AxisBounds& b, std::int64_t extent) {
  AxisSlice slice;
  slice.step = b.stride;
  const bool begin_known = b.begin_masked || b.begin;
  const bool end_known = b.end_masked || b.end;
  if (extent == kUnknown) {
    // The count can still be plain: all elements, none, or one.
    // Source: coremltools 9.0, mil/ops/defs/_utils.py (solve_slice_by_index_shape).
    if (!b.begin_masked && !b.end_masked && b.begin && b.end) {
      const bool forward = *b.begin >= 0 && *b.end >= 0 && b.stride > 0;
      const bool backward = *b.begin < 0 && *b.end < 0 && b.stride < 0;
      const std::int64_t span = forward ? *b.end - *b.begin : *b.begin - *b.end;
      const std::int64_t step = std::abs(b.stride);
      if ((forward || backward) && span <= step) slice.count = span > 0 ? 1 : 0;
    } else if (b.begin && !b.begin_masked && b.end_masked &&
               ((*b.begin == 0 && b.stride < 0) || (*b.begin == -1 && b.stride > 0))) {
      slice.count = 1;
    }
    return slice;
  }
  if (!begin_known || !end_known) {
    if (extent == 1) slice.count = 1;
    return slice;
  }
  const auto place = [&](std::int64_t index, std::int64_t low, std::int64_t high) {
    return std::clamp(index < 0 ? index + extent : index, low, high);
  };
  const bool forward = b.stride > 0;
  const std::int64_t low = forward ? 0 : -1;
  const std::int64_t high = forward ? extent : extent - 1;
  slice.start = b.begin_masked ? (forward ? 0 : extent - 1) : place(*b.begin, low, high);
  const std::int64_t end = b.end_masked ? (forward ? extent : -1) : place(*b.end, low, high);
  const std::int64_t span = forward ? end - slice.start : slice.start - end;
  const std::int64_t step = std::abs(b.stride);
  slice.count = span <= 0 ? 0 : (span + step - 1) / step;
  return slice;
}

// One slice for each axis of the parameter `x`.
inline std::vector<AxisSlice> solve_slices(const Call& call) {
  const Shape& x = call.shape("x");
  const auto rank = static_cast<std::int64_t>(x.size());
  const auto begin = find_per_axis(call, "begin", rank);
  const auto end = find_per_axis(call, "end", rank);
  const auto stride = find_per_axis(call, "stride", rank);
  const auto begin_mask = find_per_axis(call, "begin_mask", rank);
  const auto end_mask = find_per_axis(call, "end_mask", rank);
  const auto squeeze_mask = find_per_axis(call, "squeeze_mask", rank);
  std::vector<AxisSlice> slices;
  for (std::size_t i = 0; i < x.size(); ++i) {
    AxisBounds bounds;
    bounds.begin_masked = begin_mask && (*begin_mask)[i] != 0;
    bounds.end_masked = end_mask && (*end_mask)[i] != 0;
    if (begin) bounds.begin = (*begin)[i];
    if (end) bounds.end = (*end)[i];
    if (stride) bounds.stride = (*stride)[i];
    if (bounds.stride == 0) call.fail("the stride of axis " + std::to_string(i) + " is 0");
    if (!squeeze_mask || (*squeeze_mask)[i] == 0) {
      slices.push_back(solve_axis(bounds, x[i]));
      continue;
    }
    AxisSlice one{.count = 1, .squeezed = true};
    const std::int64_t at = bounds.begin_masked ? 0 : bounds.begin.value_or(0);
    if (x[i] != kUnknown && (at < -x[i] || at >= x[i])) {
      call.fail("takes index " + std::to_string(at) + " of axis " + std::to_string(i) +
                ", which has " + std::to_string(x[i]) + " elements");
    }
    one.start = at < 0 ? at + x[i] : at;
    slices.push_back(one);
  }
  return slices;
}

inline Shape slice_shape(const std::vector<AxisSlice>& slices) {
  Shape shape;
  for (const AxisSlice& slice : slices) {
    if (!slice.squeezed) shape.push_back(slice.count);
  }
  return shape;
}

// Calls visit(i) with the number of every element of `x` that the slices take, in order.
template <typename Visit>
void for_each_sliced(const std::vector<AxisSlice>& slices, const Shape& x, Visit visit) {
  const Shape strides = row_major_strides(x);
  Shape counts;
  for (const AxisSlice& slice : slices) counts.push_back(slice.count);
  for_each_index(counts, [&](const Shape& index) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < index.size(); ++i) {
      at += (slices[i].start + index[i] * slices[i].step) * strides[i];
    }
    visit(at);
  });
}

}  // namespace anemone::mil::op
