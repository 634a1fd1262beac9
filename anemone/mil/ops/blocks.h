#pragma once

#include "anemone/mil/ops/elements.h"

// Ops that move blocks of an image between its height and width and another axis.
namespace anemone::mil::op {

inline constexpr InputDef kImageX = {.name = "x", .dtypes = kFloats, .min_rank = 4, .max_rank = 4};

constexpr InputDef block_input(std::string_view parameter, DTypeSet dtypes = kInt32) {
  return {.name = parameter, .dtypes = dtypes, .max_rank = 0, .is_const = true};
}

inline std::int64_t block_size(const Call& call, std::string_view parameter) {
  const std::int64_t block = call.integer(parameter);
  if (block < 1) {
    call.fail("parameter '" + std::string(parameter) + "' is " + std::to_string(block) +
              "; the least allowed is 1");
  }
  return block;
}

// extent / divisor; fails where that is not whole.
inline std::int64_t divided(const Call& call, std::string_view what, std::int64_t extent,
                            std::int64_t divisor) {
  if (extent == kUnknown) return kUnknown;
  if (extent % divisor != 0) {
    call.fail("the " + std::string(what) + " of x, " + std::to_string(extent) +
              ", does not divide by " + std::to_string(divisor));
  }
  return extent / divisor;
}
inline std::int64_t multiplied(const Call& call, std::int64_t extent, std::int64_t factor) {
  return extent == kUnknown ? kUnknown : times(call, extent, factor);
}

// Channels to blocks of b x b.
inline std::vector<Type> infer_to_space(const Call& call, std::int64_t b) {
  const Type& x = call.type("x");
  return {
      Type::tensor(x.dtype, {x.shape[0], divided(call, "channels", x.shape[1], times(call, b, b)),
                             multiplied(call, x.shape[2], b), multiplied(call, x.shape[3], b)})};
}

// Blocks of b x b to channels.
inline std::vector<Type> infer_to_depth(const Call& call, std::int64_t b) {
  const Type& x = call.type("x");
  return {Type::tensor(
      x.dtype, {x.shape[0], multiplied(call, x.shape[1], times(call, b, b)),
                divided(call, "height", x.shape[2], b), divided(call, "width", x.shape[3], b)})};
}

}  // namespace anemone::mil::op
