#pragma once

#include <cstddef>
#include <cstdint>

namespace anemone {

// What a run of elements held, told cheaply; F16Report has the whole story.
struct HalfStats {
  std::uint32_t max_bits = 0;  // the largest magnitude, as float32 bits (so inf and NaN show)
  std::uint64_t flushed = 0;   // not zero, but of magnitude 2^-25 or less: zero in binary16
};

// Conversions to binary16, rounding exactly as to_f16 does, of `count` elements that may lie at any
// address. SIMD, chosen when first called.
HalfStats bf16_to_f16(const std::byte* from, std::size_t count, std::uint16_t* out) noexcept;
HalfStats f32_to_f16(const std::byte* from, std::size_t count, std::uint16_t* out) noexcept;
// A copy that looks.
HalfStats copy_f16(const std::byte* from, std::size_t count, std::uint16_t* out) noexcept;

}  // namespace anemone
