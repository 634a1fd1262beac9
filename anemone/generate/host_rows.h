#pragma once

#include <cstdint>
#include <span>

// What the host computes for each block of rows: everything that depends on positions, so that the
// packages hold no integer arithmetic. docs/formats/bundle.md has the shapes.
namespace anemone::generate {

// cos and sin, [rows, 2 * inv_freq.size()] each, of positions position ... position + rows - 1.
// The angle is the float32 product of position and frequency, as transformers has it; the functions
// are rounded once. Source: transformers 5.24, modeling_rope_utils.py and Qwen3RotaryEmbedding.
void fill_rotary(std::int64_t position, std::int64_t rows, std::span<const float> inv_freq,
                 float attention_scaling, std::span<float> cos, std::span<float> sin);

// [rows, context]: row s is 0 at keys 0 ... position + s and `hidden` at the others. With a window
// above 0, only the last `window` of those keys are seen.
void fill_mask(std::int64_t position, std::int64_t rows, std::int64_t context, float hidden,
               std::span<float> mask, std::int64_t window = 0);

// [rows, context + rows], for a cache of the host's: 0 at cache keys below position and at new keys
// 0 ... s; `window` as above.
void fill_host_mask(std::int64_t position, std::int64_t rows, std::int64_t context, float hidden,
                    std::span<float> mask, std::int64_t window = 0);

// [context, rows]: row p of column s is 1 where position + s = p, else 0.
void fill_write(std::int64_t position, std::int64_t rows, std::int64_t context,
                std::span<float> write);

}  // namespace anemone::generate
