#include "anemone/checkpoint/dequantize.h"

#include <cstring>

#include "anemone/base/half.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

// The layouts of ggml's block types. Source: ggml src/ggml-common.h and src/ggml-quants.c
// (dequantize_row_*); tests/oracle/checkpoint holds values from the Python package gguf.

namespace anemone {
namespace {

constexpr int kSmall = 32;   // elements of a block of the older types
constexpr int kSuper = 256;  // elements of a super-block of the K types

using Byte = std::uint8_t;

float half_at(const Byte* at) {
  f16 half;
  std::memcpy(&half.bits, at, 2);
  return to_float(half);
}

std::uint32_t u32_at(const Byte* at) {
  std::uint32_t value;
  std::memcpy(&value, at, 4);
  return value;
}

// d, 32 signed bytes.
void q8_0(const Byte* from, float* out) {
  const float d = half_at(from);
  const Byte* q = from + 2;
  for (int i = 0; i < kSmall; ++i) out[i] = d * static_cast<float>(static_cast<std::int8_t>(q[i]));
}

// d, 16 bytes: element i in the low half of byte i, element i + 16 in its high half.
void q4_0(const Byte* from, float* out) {
  const float d = half_at(from);
  const Byte* q = from + 2;
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>((q[i] & 15) - 8);
    out[i + 16] = d * static_cast<float>((q[i] >> 4) - 8);
  }
}

// d, m, 16 bytes.
void q4_1(const Byte* from, float* out) {
  const float d = half_at(from);
  const float m = half_at(from + 2);
  const Byte* q = from + 4;
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(q[i] & 15) + m;
    out[i + 16] = d * static_cast<float>(q[i] >> 4) + m;
  }
}

// d, 32 fifth bits, 16 bytes.
void q5_0(const Byte* from, float* out) {
  const float d = half_at(from);
  const std::uint32_t high = u32_at(from + 2);
  const Byte* q = from + 6;
  for (int i = 0; i < 16; ++i) {
    const int fifth = static_cast<int>(high >> i & 1) << 4;
    const int fifth_later = static_cast<int>(high >> (i + 16) & 1) << 4;
    out[i] = d * static_cast<float>(((q[i] & 15) | fifth) - 16);
    out[i + 16] = d * static_cast<float>(((q[i] >> 4) | fifth_later) - 16);
  }
}

// d, m, 32 fifth bits, 16 bytes.
void q5_1(const Byte* from, float* out) {
  const float d = half_at(from);
  const float m = half_at(from + 2);
  const std::uint32_t high = u32_at(from + 4);
  const Byte* q = from + 8;
  for (int i = 0; i < 16; ++i) {
    const int fifth = static_cast<int>(high >> i & 1) << 4;
    const int fifth_later = static_cast<int>(high >> (i + 16) & 1) << 4;
    out[i] = d * static_cast<float>((q[i] & 15) | fifth) + m;
    out[i + 16] = d * static_cast<float>((q[i] >> 4) | fifth_later) + m;
  }
}

// 16 bytes of scale and minimum (4 bits each) for 16 elements each, 64 bytes of 2-bit elements, d,
// dmin.
void q2_k(const Byte* from, float* out) {
  const Byte* scales = from;
  const Byte* q = from + 16;
  const float d = half_at(from + 80);
  const float dmin = half_at(from + 82);
  for (int group = 0; group < 16; ++group) {
    const float scale = d * static_cast<float>(scales[group] & 15);
    const float least = dmin * static_cast<float>(scales[group] >> 4);
    // Two groups take the low bits of 32 bytes, the next two the next bits, ...
    const Byte* bytes = q + 32 * (group / 8) + 16 * (group % 2);
    const int shift = 2 * (group / 2 % 4);
    for (int i = 0; i < 16; ++i) {
      out[16 * group + i] = scale * static_cast<float>(bytes[i] >> shift & 3) - least;
    }
  }
}

// 32 bytes of third bits, 64 bytes of 2-bit elements, 12 bytes of sixteen 6-bit scales, d.
void q3_k(const Byte* from, float* out) {
  const Byte* high = from;
  const Byte* q = from + 32;
  const Byte* packed = from + 96;
  const float d = half_at(from + 108);
  for (int group = 0; group < 16; ++group) {
    const int low = packed[group % 8] >> (group / 8 * 4) & 15;
    const int top = packed[8 + group % 4] >> (group / 4 * 2) & 3;
    const float scale = d * static_cast<float>((low | top << 4) - 32);
    const Byte* bytes = q + 32 * (group / 8) + 16 * (group % 2);
    const Byte* high_bytes = high + 16 * (group % 2);
    const int shift = 2 * (group / 2 % 4);
    const int high_shift = group / 2;
    for (int i = 0; i < 16; ++i) {
      const int third = high_bytes[i] >> high_shift & 1;
      const int value = (bytes[i] >> shift & 3) - (third != 0 ? 0 : 4);
      out[16 * group + i] = scale * static_cast<float>(value);
    }
  }
}

// Scale and minimum `i` of 8, six bits each, out of 12 bytes.
struct ScaleMin {
  int scale;
  int least;
};
ScaleMin scale_min(const Byte* packed, int i) {
  if (i < 4) return {packed[i] & 63, packed[i + 4] & 63};
  return {(packed[i + 4] & 15) | packed[i - 4] >> 6 << 4, packed[i + 4] >> 4 | packed[i] >> 6 << 4};
}

// d, dmin, 12 bytes of scales and minima for 32 elements each, 128 bytes: of each 32 bytes the low
// halves and then the high halves.
void q4_k(const Byte* from, float* out) {
  const float d = half_at(from);
  const float dmin = half_at(from + 2);
  const Byte* q = from + 16;
  for (int group = 0; group < 8; ++group) {
    const ScaleMin six = scale_min(from + 4, group);
    const float scale = d * static_cast<float>(six.scale);
    const float least = dmin * static_cast<float>(six.least);
    const Byte* bytes = q + 32 * (group / 2);
    const int shift = 4 * (group % 2);
    for (int i = 0; i < 32; ++i) {
      out[32 * group + i] = scale * static_cast<float>(bytes[i] >> shift & 15) - least;
    }
  }
}

// As q4_k, with 32 bytes of fifth bits (bit `group` of byte i) before the 128.
void q5_k(const Byte* from, float* out) {
  const float d = half_at(from);
  const float dmin = half_at(from + 2);
  const Byte* high = from + 16;
  const Byte* q = from + 48;
  for (int group = 0; group < 8; ++group) {
    const ScaleMin six = scale_min(from + 4, group);
    const float scale = d * static_cast<float>(six.scale);
    const float least = dmin * static_cast<float>(six.least);
    const Byte* bytes = q + 32 * (group / 2);
    const int shift = 4 * (group % 2);
    for (int i = 0; i < 32; ++i) {
      const int value = (bytes[i] >> shift & 15) | (high[i] >> group & 1) << 4;
      out[32 * group + i] = scale * static_cast<float>(value) - least;
    }
  }
}

// 128 bytes of low halves, 64 bytes of upper bit pairs, 16 signed scales, d.
void q6_k(const Byte* from, float* out) {
  const Byte* scales = from + 192;
  const float d = half_at(from + 208);
  for (int group = 0; group < 8; ++group) {  // of 32 elements, under two scales
    const Byte* low = from + 64 * (group / 4) + 32 * (group % 2);
    const Byte* high = from + 128 + 32 * (group / 4);
    const int low_shift = 4 * (group / 2 % 2);
    const int high_shift = 2 * (group % 4);
    for (int half = 0; half < 2; ++half) {
      const float scale =
          d * static_cast<float>(static_cast<std::int8_t>(scales[2 * group + half]));
      for (int i = 16 * half; i < 16 * half + 16; ++i) {
        const int value = ((low[i] >> low_shift & 15) | (high[i] >> high_shift & 3) << 4) - 32;
        out[32 * group + i] = scale * static_cast<float>(value);
      }
    }
  }
}

template <void (*kDecode)(const Byte*, float*), int kElements, int kBytes>
void each(const std::byte* from, std::int64_t blocks, float* out) {
  const auto* bytes = reinterpret_cast<const Byte*>(from);
  for (std::int64_t i = 0; i < blocks; ++i) kDecode(bytes + i * kBytes, out + i * kElements);
}

}  // namespace

DequantizeBlocks find_dequantizer(Encoding encoding) {
  switch (encoding) {
    case Encoding::kQ8_0:
      return each<q8_0, kSmall, 34>;
    case Encoding::kQ4_0:
      return each<q4_0, kSmall, 18>;
    case Encoding::kQ4_1:
      return each<q4_1, kSmall, 20>;
    case Encoding::kQ5_0:
      return each<q5_0, kSmall, 22>;
    case Encoding::kQ5_1:
      return each<q5_1, kSmall, 24>;
    case Encoding::kQ2_K:
      return each<q2_k, kSuper, 84>;
    case Encoding::kQ3_K:
      return each<q3_k, kSuper, 110>;
    case Encoding::kQ4_K:
      return each<q4_k, kSuper, 144>;
    case Encoding::kQ5_K:
      return each<q5_k, kSuper, 176>;
    case Encoding::kQ6_K:
      return each<q6_k, kSuper, 210>;
    default:
      return nullptr;
  }
}

}  // namespace anemone
