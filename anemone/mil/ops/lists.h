#pragma once

#include "anemone/mil/ops/elements.h"

// Ops on lists of tensors of one type. Nothing here has a value before a program runs.
namespace anemone::mil::op {

inline constexpr DTypeSet kListDTypes = kNumbers | kBools;
inline constexpr InputDef kList = {.name = "ls", .kinds = kLists};
inline constexpr InputDef kListIndex = {.name = "index", .dtypes = kInt32, .max_rank = 0};
inline constexpr InputDef kListIndices = {
    .name = "indices", .dtypes = kInt32, .min_rank = 1, .max_rank = 1};

// What the list holds.
inline Type element_of(const Type& list) { return Type::tensor(list.dtype, list.shape); }

inline void require_element(const Call& call, const Type& found) {
  const Type& list = call.type("ls");
  if (!agrees(element_of(list), found)) {
    call.fail("puts " + to_string(found) + " into a list of " + to_string(element_of(list)));
  }
}

}  // namespace anemone::mil::op
