#pragma once

#include <bit>
#include <cstdint>

namespace anemone {

// IEEE 754 binary16 and bfloat16 as bit patterns; arithmetic happens in float.
struct f16 {
  std::uint16_t bits = 0;
  friend bool operator==(f16, f16) = default;
};
struct bf16 {
  std::uint16_t bits = 0;
  friend bool operator==(bf16, bf16) = default;
};

inline constexpr float kMaxF16 = 65504.0f;
// The smallest magnitude that rounds to infinity in binary16.
inline constexpr float kOverflowF16 = 65520.0f;

// Exact.
constexpr float to_float(f16 h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h.bits & 0x8000u) << 16;
  const std::uint32_t magnitude = h.bits & 0x7fffu;
  if (magnitude >= 0x7c00u) {  // inf, NaN: the payload moves up
    return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
  }
  if (magnitude >= 0x400u) {
    return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
  }
  // Subnormal: magnitude * 2^-24, exact in float.
  const float value = static_cast<float>(magnitude) * 5.9604644775390625e-8f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
}

// Rounds to nearest, ties to even; overflows to infinity; keeps NaN (quiet) and -0.
constexpr f16 to_f16(float value) {
  const std::uint32_t u = std::bit_cast<std::uint32_t>(value);
  const std::uint16_t sign = static_cast<std::uint16_t>((u >> 16) & 0x8000u);
  const std::uint32_t magnitude = u & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return {static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu))};
  }
  if (magnitude >= 0x477ff000u) return {static_cast<std::uint16_t>(sign | 0x7c00u)};  // >= 65520
  if (magnitude < 0x38800000u) {  // below the smallest normal, 2^-14
    // Adding 0.5 puts the subnormal's last bit at the float's last bit, so the FPU rounds for us.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return {
        static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u))};
  }
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  return {static_cast<std::uint16_t>(sign | ((magnitude - (112u << 23) + 0xfffu + odd) >> 13))};
}

constexpr float to_float(bf16 h) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(h.bits) << 16);
}

// Rounds to nearest, ties to even; keeps NaN (quiet).
constexpr bf16 to_bf16(float value) {
  const std::uint32_t u = std::bit_cast<std::uint32_t>(value);
  if ((u & 0x7fffffffu) > 0x7f800000u) return {static_cast<std::uint16_t>((u >> 16) | 0x40u)};
  return {static_cast<std::uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16)};
}

// The float nearest to `value` that binary16 can hold.
constexpr float round_to_f16(float value) { return to_float(to_f16(value)); }

}  // namespace anemone
