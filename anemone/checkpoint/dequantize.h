#pragma once

#include <cstddef>
#include <cstdint>

#include "anemone/checkpoint/encoding.h"

namespace anemone {

// Decodes whole blocks: `blocks` of them from `from` (any alignment) into block_elements floats
// each. Plain float arithmetic without fused steps, so that the result is the same everywhere.
using DequantizeBlocks = void (*)(const std::byte* from, std::int64_t blocks, float* out);

// Null if the encoding is not made of quantized blocks.
DequantizeBlocks find_dequantizer(Encoding encoding);

}  // namespace anemone
