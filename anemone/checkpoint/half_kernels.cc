#include "anemone/checkpoint/half_kernels.h"

#include <cstring>

#include "anemone/base/half.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "anemone/checkpoint/half_kernels.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
//
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace anemone {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int32_t kMostFlushed = 0x33000000;  // 2^-25, which ties to zero

// The same steps as to_f16, for every lane; the hardware's where it has an instruction for it.
template <class D>
HWY_ATTR HWY_INLINE hn::Vec<hn::Rebind<std::uint16_t, D>> round_to_half(D df, hn::Vec<D> v) {
  const hn::Rebind<std::uint16_t, D> d16;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)
  const hn::Rebind<hwy::float16_t, D> dh;
  (void)df;
  return hn::BitCast(d16, hn::DemoteTo(dh, v));
#else
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, v);
  const auto magnitude = hn::And(bits, hn::Set(di, 0x7fffffff));
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(di, 0x8000));
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(di, 1));
  const auto rebased = hn::Add(hn::Sub(magnitude, hn::Set(di, (112 << 23) - 0xfff)), odd);
  const auto normal = hn::ShiftRight<13>(rebased);
  const auto shifted = hn::Add(hn::BitCast(df, magnitude), hn::Set(df, 0.5f));
  const auto subnormal = hn::Sub(hn::BitCast(di, shifted), hn::Set(di, 0x3f000000));
  const auto payload = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(di, 0x3ff));
  const auto nan = hn::Or(payload, hn::Set(di, 0x7e00));
  auto half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(di, 0x38800000)), subnormal, normal);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x477fefff)), hn::Set(di, 0x7c00), half);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x7f800000)), nan, half);
  return hn::DemoteTo(d16, hn::Or(half, sign));
#endif
}

// `Element` is float, or std::uint16_t for the bits of a bfloat16.
template <typename Element>
HWY_ATTR HWY_INLINE HalfStats convert(const std::byte* HWY_RESTRICT from, std::size_t count,
                                      std::uint16_t* HWY_RESTRICT out) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::Rebind<std::uint16_t, decltype(df)> d16;
  const std::size_t lanes = hn::Lanes(df);
  auto max = hn::Zero(di);
  auto flushed = hn::Zero(di);  // counts down
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto* at = reinterpret_cast<const Element*>(from + i * sizeof(Element));
    auto v = hn::Zero(df);
    if constexpr (sizeof(Element) == 4) {
      v = hn::LoadU(df, at);
    } else {
      v = hn::BitCast(df, hn::ShiftLeft<16>(hn::PromoteTo(di, hn::LoadU(d16, at))));
    }
    const auto magnitude = hn::And(hn::BitCast(di, v), hn::Set(di, 0x7fffffff));
    max = hn::Max(max, magnitude);
    const auto small = hn::VecFromMask(di, hn::Lt(magnitude, hn::Set(di, kMostFlushed + 1)));
    const auto zero = hn::VecFromMask(di, hn::Eq(magnitude, hn::Zero(di)));
    flushed = hn::Add(flushed, hn::AndNot(zero, small));
    hn::StoreU(round_to_half(df, v), d16, out + i);
  }
  HalfStats stats;
  stats.max_bits = static_cast<std::uint32_t>(hn::GetLane(hn::MaxOfLanes(di, max)));
  stats.flushed =
      static_cast<std::uint64_t>(-std::int64_t{hn::GetLane(hn::SumOfLanes(di, flushed))});
  for (; i < count; ++i) {
    float value;
    if constexpr (sizeof(Element) == 4) {
      std::memcpy(&value, from + i * 4, 4);
    } else {
      bf16 narrow;
      std::memcpy(&narrow.bits, from + i * 2, 2);
      value = to_float(narrow);
    }
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(value) & 0x7fffffffu;
    stats.max_bits = std::max(stats.max_bits, magnitude);
    stats.flushed += magnitude != 0 && magnitude <= kMostFlushed ? 1 : 0;
    out[i] = to_f16(value).bits;
  }
  return stats;
}

HWY_ATTR HalfStats bf16_to_f16(const std::byte* from, std::size_t count, std::uint16_t* out) {
  return convert<std::uint16_t>(from, count, out);
}

HWY_ATTR HalfStats f32_to_f16(const std::byte* from, std::size_t count, std::uint16_t* out) {
  return convert<float>(from, count, out);
}

HWY_ATTR HalfStats copy_f16(const std::byte* from, std::size_t count, std::uint16_t* out) {
  const hn::ScalableTag<std::int16_t> d16;
  const hn::RebindToUnsigned<decltype(d16)> du;
  const std::size_t lanes = hn::Lanes(d16);
  auto max = hn::Zero(d16);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto bits = hn::LoadU(du, reinterpret_cast<const std::uint16_t*>(from + i * 2));
    max = hn::Max(max, hn::And(hn::BitCast(d16, bits), hn::Set(d16, 0x7fff)));
    hn::StoreU(bits, du, out + i);
  }
  std::int16_t each[HWY_MAX_BYTES / 2];
  hn::StoreU(max, d16, each);
  f16 most{static_cast<std::uint16_t>(*std::max_element(each, each + lanes))};
  for (; i < count; ++i) {
    std::memcpy(out + i, from + i * 2, 2);
    most.bits = std::max<std::uint16_t>(most.bits, out[i] & 0x7fffu);
  }
  return {std::bit_cast<std::uint32_t>(to_float(most)), 0};
}

}  // namespace HWY_NAMESPACE
}  // namespace anemone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anemone {

HWY_EXPORT(bf16_to_f16);
HWY_EXPORT(f32_to_f16);
HWY_EXPORT(copy_f16);

HalfStats bf16_to_f16(const std::byte* from, std::size_t count, std::uint16_t* out) noexcept {
  return HWY_DYNAMIC_DISPATCH(bf16_to_f16)(from, count, out);
}
HalfStats f32_to_f16(const std::byte* from, std::size_t count, std::uint16_t* out) noexcept {
  return HWY_DYNAMIC_DISPATCH(f32_to_f16)(from, count, out);
}
HalfStats copy_f16(const std::byte* from, std::size_t count, std::uint16_t* out) noexcept {
  return HWY_DYNAMIC_DISPATCH(copy_f16)(from, count, out);
}

}  // namespace anemone
#endif
