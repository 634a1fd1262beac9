#pragma once

#include "anemone/mil/ops/slicing.h"

// Indices as the gather and scatter families read them.
namespace anemone::mil::op {

inline constexpr DTypeSet kGatherableIos17 = kNumbers | kSmallInts;
// Source: coremltools 9.0, mil/ops/defs/iOS16/scatter_gather.py (int16 and uint16 from iOS 16 on).
inline constexpr DTypeSet kGatherIndices = kInt32 | bit(DType::kI16) | bit(DType::kU16);
inline constexpr DTypeSet kGatherIndicesIos17 = kInt32 | kSmallInts;

inline constexpr InputDef kValidateIndices = {.name = "validate_indices",
                                              .dtypes = kBools,
                                              .max_rank = 0,
                                              .is_const = true,
                                              .otherwise = false,
                                              .since = Opset::kIos17};

inline bool validates_indices(const Call& call) {
  return call.opset() >= Opset::kIos17 && call.boolean("validate_indices");
}

// The element that `index` means along an axis of `extent` elements: negative ones count from the
// end. Validated indices (iOS 17 on) must be inside, negative ones are outside; any other index
// outside is undefined but safe in Core ML, and here means the nearest inside.
// Source: coremltools 9.0, mil/ops/defs/iOS17/scatter_gather.py.
inline std::int64_t placed_index(const Call& call, std::int64_t index, std::int64_t extent) {
  if (validates_indices(call) && (index < 0 || index >= extent)) {
    call.fail("parameter 'indices' holds " + std::to_string(index) + "; allowed: 0 to " +
              std::to_string(extent - 1));
  }
  if (extent == 0) call.fail("takes index " + std::to_string(index) + " of an empty axis");
  return std::clamp<std::int64_t>(index < 0 ? index + extent : index, 0, extent - 1);
}

// Refuses indices outside where they are known and validated already by inference.
inline void validate_known_indices(const Call& call, std::int64_t extent) {
  const Tensor* indices = call.find_tensor("indices");
  if (indices == nullptr || !validates_indices(call) || extent == kUnknown) return;
  for (const std::int64_t index : indices->to_ints()) placed_index(call, index, extent);
}

// Extents [from, to) of a shape.
inline Shape extents(const Shape& shape, std::int64_t from, std::int64_t to) {
  return Shape(shape.begin() + from, shape.begin() + to);
}
inline Shape joined(Shape a, const Shape& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace anemone::mil::op
