#pragma once

#include "anemone/mil/ops/elements.h"

// Windows that slide over the spatial axes, for convolutions and pools.
namespace anemone::mil::op {

struct Windows {
  Shape sizes;      // of the kernel, in elements
  Shape strides;    // from one window to the next
  Shape dilations;  // from one element of a window to the next
  Shape before;     // padding in front of each axis; kUnknown where the extent decides and is not
  Shape after;      // known
  Shape count;      // windows along each axis: the output's extents
};

// One value for each of `rank` spatial axes, none below `least`.
inline Shape per_axis(const Call& call, std::string_view parameter, std::size_t rank,
                      std::int64_t otherwise, std::int64_t least) {
  const auto given = call.find_integers(parameter);
  if (!given) return Shape(rank, otherwise);
  if (given->size() != rank) {
    call.fail("parameter '" + std::string(parameter) + "' has " + std::to_string(given->size()) +
              " values; expected " + std::to_string(rank));
  }
  for (const std::int64_t value : *given) {
    if (value < least) {
      call.fail("parameter '" + std::string(parameter) + "' holds " + std::to_string(value) +
                "; the least allowed is " + std::to_string(least));
    }
  }
  return *given;
}

inline constexpr std::string_view kPadTypes[] = {"valid", "custom", "same", "same_lower"};

// Lays windows of `sizes` over the spatial extents. `same` pads so that every stride-th element has
// a window, with the odd element behind; `same_lower` puts it in front.
// Source: coremltools 9.0, mil/ops/defs/_utils.py (aggregated_pad, spatial_dimensions_out_shape).
inline Windows lay_windows(const Call& call, const Shape& extents, const Shape& sizes,
                           const std::string& pad_type, bool ceil_mode) {
  const std::size_t rank = extents.size();
  Windows w;
  w.sizes = sizes;
  w.strides = per_axis(call, "strides", rank, 1, 1);
  w.dilations = call.def().find_input("dilations") != nullptr
                    ? per_axis(call, "dilations", rank, 1, 1)
                    : Shape(rank, 1);
  const Shape custom = pad_type == "custom" ? per_axis(call, "pad", 2 * rank, 0, 0) : Shape{};
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t n = extents[i];
    const std::int64_t stride = w.strides[i];
    if (sizes[i] < 1) {
      call.fail("the kernel has extent " + std::to_string(sizes[i]) + " along spatial axis " +
                std::to_string(i));
    }
    const std::int64_t reach = times(call, sizes[i] - 1, w.dilations[i]) + 1;
    std::int64_t before = 0;
    std::int64_t after = 0;
    if (pad_type == "custom") {
      before = custom[2 * i];
      after = custom[2 * i + 1];
    } else if (pad_type != "valid" && n != kUnknown) {
      const std::int64_t covered = (n + stride - 1) / stride * stride;
      const std::int64_t total = std::max<std::int64_t>(0, covered - n + reach - stride);
      before = pad_type == "same" ? total / 2 : total - total / 2;
      after = total - before;
    }
    w.before.push_back(before);
    w.after.push_back(after);
    if (n == kUnknown) {
      w.count.push_back(kUnknown);
      continue;
    }
    const std::int64_t room = n + before + after - reach;
    std::int64_t count = room < 0 ? 0 : room / stride + 1;
    if (ceil_mode && room >= 0) {
      count = (room + stride - 1) / stride + 1;
      if ((count - 1) * stride >= n + before && before + after > 0) --count;
    }
    if (count < 1) {
      call.fail("a window of " + std::to_string(reach) + " does not fit spatial axis " +
                std::to_string(i) + ", which has " + std::to_string(n) + " elements and " +
                std::to_string(before + after) + " of padding");
    }
    w.count.push_back(count);
  }
  return w;
}

}  // namespace anemone::mil::op
