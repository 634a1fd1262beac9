// Vector helpers that kernels share, compiled once for each target. Included again and again by
// foreach_target.h, hence the toggle in place of #pragma once.
#if defined(ANEMONE_ENGINE_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ANEMONE_ENGINE_SIMD_INL_H
#undef ANEMONE_ENGINE_SIMD_INL_H
#else
#define ANEMONE_ENGINE_SIMD_INL_H
#endif

#include <cstdint>

#include "anemone/base/half.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

// Targets without conversion instructions do it with arithmetic: Highway 1.0.3's own substitute
// truncates where binary16 must round to nearest even, and turns infinity into a number.
#undef ANEMONE_HAS_F16C
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3
#define ANEMONE_HAS_F16C 0
#else
#define ANEMONE_HAS_F16C 1
#endif

// Whether masked loads and stores leave alone what the mask leaves out, so that they may reach past
// the end of memory.
#undef ANEMONE_HAS_MASKED_MEMORY
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
#define ANEMONE_HAS_MASKED_MEMORY 1
#else
#define ANEMONE_HAS_MASKED_MEMORY 0
#endif

// Lanes(d) halves from p, exactly.
template <class D>
HWY_INLINE hn::Vec<D> LoadHalf(D d, const std::uint16_t* HWY_RESTRICT p) {
#if ANEMONE_HAS_F16C
  const hn::Rebind<hwy::float16_t, D> dh;
  return hn::PromoteTo(d, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(p)));
#else
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<std::uint16_t, D> dh;
  const auto wide = hn::PromoteTo(du, hn::LoadU(dh, p));
  const auto magnitude = hn::And(wide, hn::Set(du, 0x7fffu));
  const auto sign = hn::ShiftLeft<16>(hn::And(wide, hn::Set(du, 0x8000u)));
  // The exponent is off by 112; a multiplication mends it, subnormals included.
  const auto scaled = hn::Mul(hn::BitCast(d, hn::ShiftLeft<13>(magnitude)), hn::Set(d, 0x1p112f));
  // Infinity and NaN: the largest exponent.
  const auto special =
      hn::MaskFromVec(hn::BitCast(d, hn::VecFromMask(du, hn::Gt(magnitude, hn::Set(du, 0x7bffu)))));
  const auto top = hn::BitCast(d, hn::Or(hn::ShiftLeft<13>(magnitude), hn::Set(du, 0x7f800000u)));
  return hn::Or(hn::IfThenElse(special, top, scaled), hn::BitCast(d, sign));
#endif
}

// The nearest value that binary16 holds, ties to even, beyond its range infinity.
template <class D>
HWY_INLINE hn::Vec<D> RoundHalf(D d, hn::Vec<D> v) {
#if ANEMONE_HAS_F16C
  const hn::Rebind<hwy::float16_t, D> dh;
  return hn::PromoteTo(d, hn::DemoteTo(dh, v));
#else
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, v);
  const auto sign = hn::And(bits, hn::Set(du, 0x80000000u));
  const auto magnitude = hn::Xor(bits, sign);
  // Normal numbers: add half a unit of the last kept place (a hair less when it is even), cut.
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1u));
  const auto normal =
      hn::And(hn::Add(hn::Add(magnitude, hn::Set(du, 0xfffu)), odd), hn::Set(du, 0xffffe000u));
  const auto m = hn::BitCast(d, magnitude);
  // Below 2^-14 the last place is 2^-24 throughout, which is the last place of 0.5 in float.
  const auto half = hn::Set(d, 0.5f);
  const auto subnormal = hn::Sub(hn::Add(m, half), half);
  auto rounded = hn::IfThenElse(hn::Lt(m, hn::Set(d, 0x1p-14f)), subnormal, hn::BitCast(d, normal));
  rounded = hn::IfThenElse(hn::Ge(m, hn::Set(d, kOverflowF16)),
                           hn::BitCast(d, hn::Set(du, 0x7f800000u)), rounded);
  rounded = hn::IfThenElse(hn::IsNaN(v), m, rounded);
  return hn::Or(rounded, hn::BitCast(d, sign));
#endif
}

// Rounds only if the template says so: the kernels' last step.
template <bool kRound, class D>
HWY_INLINE hn::Vec<D> Rounded(D d, hn::Vec<D> v) {
  if constexpr (kRound) {
    return RoundHalf(d, v);
  } else {
    (void)d;
    return v;
  }
}

// Stores as binary16, rounding to nearest even.
template <class D>
HWY_INLINE void StoreHalf([[maybe_unused]] D d, hn::Vec<D> v, std::uint16_t* HWY_RESTRICT p) {
#if ANEMONE_HAS_F16C
  const hn::Rebind<hwy::float16_t, D> dh;
  hn::StoreU(hn::DemoteTo(dh, v), dh, reinterpret_cast<hwy::float16_t*>(p));
#else
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(v, d, lanes);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) p[i] = to_f16(lanes[i]).bits;
#endif
}

// An element type of a matrix as it is stored: float, or std::uint16_t for binary16 bits.
template <class D>
HWY_INLINE hn::Vec<D> LoadStored(D d, const float* HWY_RESTRICT p) {
  return hn::LoadU(d, p);
}
template <class D>
HWY_INLINE hn::Vec<D> LoadStored(D d, const std::uint16_t* HWY_RESTRICT p) {
  return LoadHalf(d, p);
}
template <class D>
HWY_INLINE void StoreStored(D d, hn::Vec<D> v, float* HWY_RESTRICT p) {
  hn::StoreU(v, d, p);
}
template <class D>
HWY_INLINE void StoreStored(D d, hn::Vec<D> v, std::uint16_t* HWY_RESTRICT p) {
  StoreHalf(d, v, p);
}
HWY_INLINE float Widen(float value) { return value; }
HWY_INLINE float Widen(std::uint16_t bits) { return to_float(f16{bits}); }

// Calls body(d, i) for i = 0, lanes, 2 * lanes ... and then, one lane wide, for what is left of n.
template <class Body>
HWY_INLINE void ForEach(std::int64_t n, const Body& body) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) body(d, i);
  const hn::CappedTag<float, 1> d1;
  for (; i < n; ++i) body(d1, i);
}

// to[c * to_row + r] = from[r * from_row + c] for a matrix of numbers of four bytes.
HWY_INLINE void Transpose(const float* HWY_RESTRICT from, std::int64_t from_row,
                          float* HWY_RESTRICT to, std::int64_t to_row, std::int64_t rows,
                          std::int64_t columns) {
  std::int64_t r = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<float, 4> d;
  for (; r + 4 <= rows; r += 4) {
    const float* in = from + r * from_row;
    float* out = to + r;
    std::int64_t c = 0;
    for (; c + 4 <= columns; c += 4) {
      const auto r0 = hn::LoadU(d, in + c);
      const auto r1 = hn::LoadU(d, in + from_row + c);
      const auto r2 = hn::LoadU(d, in + 2 * from_row + c);
      const auto r3 = hn::LoadU(d, in + 3 * from_row + c);
      const auto low01 = hn::InterleaveLower(d, r0, r1);
      const auto low23 = hn::InterleaveLower(d, r2, r3);
      const auto high01 = hn::InterleaveUpper(d, r0, r1);
      const auto high23 = hn::InterleaveUpper(d, r2, r3);
      hn::StoreU(hn::ConcatLowerLower(d, low23, low01), d, out + c * to_row);
      hn::StoreU(hn::ConcatUpperUpper(d, low23, low01), d, out + (c + 1) * to_row);
      hn::StoreU(hn::ConcatLowerLower(d, high23, high01), d, out + (c + 2) * to_row);
      hn::StoreU(hn::ConcatUpperUpper(d, high23, high01), d, out + (c + 3) * to_row);
    }
    for (; c < columns; ++c) {
      for (std::int64_t i = 0; i < 4; ++i) out[c * to_row + i] = in[i * from_row + c];
    }
  }
#endif
  for (; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) to[c * to_row + r] = from[r * from_row + c];
  }
}

// x if it is NaN, else y. (Not by Ne(x, x), which on AVX is false of NaN.) For what follows a Min
// or Max: targets differ in which of two operands those give if one is NaN.
template <class V>
HWY_INLINE V OrNaN(V x, V y) {
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

// exp(x) within 2 units in the last place of float; 0 below -103.97, infinity above 88.72.
// Cody and Waite's reduction by ln 2 in two parts, then a polynomial of degree 7 on
// [-ln2/2, ln2/2]: the Taylor coefficients, whose first term left out is below 2^-24.
template <class D>
HWY_INLINE hn::Vec<D> Exp(D d, hn::Vec<D> x) {
  const hn::RebindToSigned<D> di;
  const auto low = hn::Set(d, -104.0f);
  const auto high = hn::Set(d, 89.0f);
  const auto clamped = hn::Min(hn::Max(x, low), high);
  const auto n = hn::Round(hn::Mul(clamped, hn::Set(d, 1.44269504f)));
  auto r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), clamped);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  auto p = hn::Set(d, 1.0f / 5040.0f);
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 720.0f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 120.0f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 24.0f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 6.0f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.5f));
  p = hn::MulAdd(hn::Mul(p, r), r, hn::Add(r, hn::Set(d, 1.0f)));
  // 2^n in two factors, since n runs from -150 to 128 and a float's exponent from -126 to 127.
  const auto ni = hn::ConvertTo(di, n);
  const auto half = hn::ShiftRight<1>(ni);
  const auto bias = hn::Set(di, 127);
  const auto s1 = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(half, bias)));
  const auto s2 = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::Sub(ni, half), bias)));
  auto y = hn::Mul(hn::Mul(p, s1), s2);
  y = hn::IfThenElse(hn::Lt(x, low), hn::Zero(d), y);
  return OrNaN(x, y);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#endif  // toggle
