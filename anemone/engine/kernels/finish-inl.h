// The end of sums, compiled once for each target. Included again and again by foreach_target.h,
// hence the toggle in place of #pragma once.
#if defined(ANEMONE_ENGINE_FINISH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ANEMONE_ENGINE_FINISH_INL_H
#undef ANEMONE_ENGINE_FINISH_INL_H
#else
#define ANEMONE_ENGINE_FINISH_INL_H
#endif

#include "anemone/engine/kernels/finish.h"
#include "anemone/engine/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

// Some of the first lanes of a vector in memory; the others are not touched.
struct Part {
#if ANEMONE_HAS_MASKED_MEMORY
  hn::Mask<DF> mask;
#else
  std::int64_t lanes;
#endif
};

// The first n lanes: none if n is negative, all if there are fewer.
HWY_INLINE Part PartOf(std::int64_t n) {
  const DF d;
  n = HWY_MIN(HWY_MAX(n, 0), static_cast<std::int64_t>(hn::Lanes(d)));
#if ANEMONE_HAS_MASKED_MEMORY
  return {hn::FirstN(d, static_cast<std::size_t>(n))};
#else
  return {n};
#endif
}

// Zeros in the lanes that are not there.
HWY_INLINE VF LoadPart(const Part& part, const float* HWY_RESTRICT from) {
  const DF d;
#if ANEMONE_HAS_MASKED_MEMORY
  return hn::MaskedLoad(part.mask, d, from);
#else
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)] = {};
  for (std::int64_t i = 0; i < part.lanes; ++i) lanes[i] = from[i];
  return hn::Load(d, lanes);
#endif
}

HWY_INLINE void StorePart(const Part& part, VF value, float* HWY_RESTRICT to) {
  const DF d;
#if ANEMONE_HAS_MASKED_MEMORY
  hn::BlendedStore(value, part.mask, d, to);
#else
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(value, d, lanes);
  for (std::int64_t i = 0; i < part.lanes; ++i) to[i] = lanes[i];
#endif
}

// `kWhole`: all rows and columns of the block are real.
template <bool kWhole, int kRows, int kV>
HWY_INLINE void LandBlock(const Finish& finish, const Landing& to, VF (&sums)[kRows][kV]) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Part parts[kV];
  for (int v = 0; v < kV; ++v) parts[v] = PartOf(to.columns - v * lanes);
  const auto is_real = [&](int r) HWY_ATTR { return kWhole || r < to.rows; };
  const auto of_channel = [&](const float* numbers, int r)
                              HWY_ATTR { return is_real(r) ? numbers[r * to.channel_step] : 0.0f; };
  for (int r = 0; r < kRows; ++r) {
    const VF bias = hn::Set(d, to.bias == nullptr ? 0.0f : of_channel(to.bias, r));
    for (int v = 0; v < kV; ++v) sums[r][v] = hn::Add(sums[r][v], bias);
  }
  if (finish.rounds) {
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kV; ++v) sums[r][v] = RoundHalf(d, sums[r][v]);
    }
  }
  for (std::size_t i = 0; i < finish.count; ++i) {
    const Finish::Step& step = finish.steps[i];
    switch (step.kind) {
      case FinishStep::Kind::kClamp: {
        const VF low = hn::Set(d, step.low);
        const VF high = hn::Set(d, step.high);
        for (int r = 0; r < kRows; ++r) {
          for (int v = 0; v < kV; ++v) {
            const VF clamped = hn::Min(hn::Max(sums[r][v], low), high);
            sums[r][v] = hn::IfThenElse(hn::IsNaN(sums[r][v]), sums[r][v], clamped);
          }
        }
        break;
      }
      case FinishStep::Kind::kSlope:
        for (int r = 0; r < kRows; ++r) {
          const VF slope =
              hn::Set(d, step.by_channel ? of_channel(step.data + to.channel, r) : step.data[0]);
          for (int v = 0; v < kV; ++v) {
            VF scaled = hn::Mul(sums[r][v], slope);
            if (step.rounds) scaled = RoundHalf(d, scaled);
            sums[r][v] = hn::IfThenElse(hn::Ge(sums[r][v], hn::Zero(d)), sums[r][v], scaled);
          }
        }
        break;
      case FinishStep::Kind::kAdd:
        for (int r = 0; r < kRows; ++r) {
          if (!is_real(r)) break;
          const float* from = step.data + to.at + r * to.row_step;
          for (int v = 0; v < kV; ++v) {
            const VF other =
                kWhole ? hn::LoadU(d, from + v * lanes) : LoadPart(parts[v], from + v * lanes);
            sums[r][v] = hn::Add(sums[r][v], other);
            if (step.rounds) sums[r][v] = RoundHalf(d, sums[r][v]);
          }
        }
        break;
    }
  }
  for (int r = 0; r < kRows; ++r) {
    if (!is_real(r)) break;
    float* out = to.y + to.at + r * to.row_step;
    for (int v = 0; v < kV; ++v) {
      if constexpr (kWhole) {
        hn::StoreU(sums[r][v], d, out + v * lanes);
      } else {
        StorePart(parts[v], sums[r][v], out + v * lanes);
      }
    }
  }
}

template <int kRows, int kV>
HWY_INLINE void Land(const Finish& finish, const Landing& to, VF (&sums)[kRows][kV]) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(DF()));
  to.rows >= kRows&& to.columns >= kV* lanes ? LandBlock<true>(finish, to, sums)
                                             : LandBlock<false>(finish, to, sums);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#endif  // toggle
