#pragma once

#include "anemone/mil/ops/blocks.h"

// What space_to_batch and batch_to_space share: a block and two amounts for each of height and
// width.
namespace anemone::mil::op {

inline constexpr InputDef kBlockShape = {
    .name = "block_shape", .dtypes = kInt32, .min_rank = 1, .max_rank = 1, .is_const = true};

constexpr InputDef amounts_input(std::string_view parameter) {
  return {.name = parameter, .dtypes = kInt32, .min_rank = 2, .max_rank = 2, .is_const = true};
}

struct Batching {
  std::int64_t block[2] = {};
  std::int64_t amounts[4] = {};  // before and behind height, before and behind width
};

inline Batching batching(const Call& call, std::string_view amounts) {
  require_shape(call, "block_shape", {2});
  require_shape(call, amounts, {2, 2});
  Batching b;
  const std::vector<std::int64_t> block = call.integers("block_shape");
  const std::vector<std::int64_t> given = call.integers(amounts);
  std::copy(block.begin(), block.end(), b.block);
  std::copy(given.begin(), given.end(), b.amounts);
  for (const std::int64_t extent : b.block) {
    if (extent < 1) call.fail("parameter 'block_shape' holds " + std::to_string(extent));
  }
  for (const std::int64_t amount : b.amounts) {
    if (amount < 0) {
      call.fail("parameter '" + std::string(amounts) + "' holds " + std::to_string(amount));
    }
  }
  return b;
}

}  // namespace anemone::mil::op
