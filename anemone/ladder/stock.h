#pragma once

#include <cstdint>
#include <filesystem>

#include "anemone/checkpoint/checkpoint.h"

namespace anemone::ladder {

struct StockSizes {
  std::int64_t hidden = 64;
  std::int64_t layers = 2;
  std::int64_t vocabulary = 256;
  std::int64_t context = 128;
  bool is_random = false;
};

// The leading part of a checkpoint as a checkpoint of its own, small enough for experiments, with
// the block variants of the original: config.json and model.safetensors (fp16) in `folder`, which
// must exist. Where the original is smaller its rows, columns and layers come again from the start.
// With `is_random` the numbers are seeded noise of the usual size instead.
// Throws Error.
void write_stock(const Checkpoint& original, const StockSizes& sizes,
                 const std::filesystem::path& folder);

// fp16 bytes of one layer's MLP of that width.
std::int64_t mlp_bytes(std::int64_t hidden);

}  // namespace anemone::ladder
