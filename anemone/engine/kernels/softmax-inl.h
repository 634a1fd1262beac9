// The one softmax: attention's fused kernel must give the same bits as the op by itself.
#if defined(ANEMONE_ENGINE_SOFTMAX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ANEMONE_ENGINE_SOFTMAX_INL_H
#undef ANEMONE_ENGINE_SOFTMAX_INL_H
#else
#define ANEMONE_ENGINE_SOFTMAX_INL_H
#endif

#include "anemone/engine/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {

// y = softmax(x) over n contiguous numbers; y may be x. Sums are by lane, then across lanes, so
// that zeros at the end change nothing.
template <bool kRound>
HWY_INLINE void SoftmaxRow(const float* x, float* y, std::int64_t n) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  VF tops = hn::Set(d, x[0]);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) tops = hn::Max(tops, hn::LoadU(d, x + i));
  float top = hn::GetLane(hn::MaxOfLanes(d, tops));
  for (; i < n; ++i) top = HWY_MAX(top, x[i]);

  // The last, shorter vector is filled up with numbers whose exponential is 0.
  VF sums = hn::Zero(d);
  const VF tops_all = hn::Set(d, top);
  for (i = 0; i + lanes <= n; i += lanes) {
    const VF e = Exp(d, hn::Sub(hn::LoadU(d, x + i), tops_all));
    hn::StoreU(e, d, y + i);
    sums = hn::Add(sums, e);
  }
  if (i < n) {
    HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)];
    for (std::int64_t j = 0; j < lanes; ++j) rest[j] = i + j < n ? x[i + j] : -HUGE_VALF;
    const VF e = Exp(d, hn::Sub(hn::Load(d, rest), tops_all));
    hn::Store(e, d, rest);
    for (std::int64_t j = 0; i + j < n; ++j) y[i + j] = rest[j];
    sums = hn::Add(sums, e);
  }
  const float factor = 1.0f / hn::GetLane(hn::SumOfLanes(d, sums));
  ForEach(n, [&](auto tag, std::int64_t j) HWY_ATTR {
    const auto scaled = hn::Mul(hn::LoadU(tag, y + j), hn::Set(tag, factor));
    hn::StoreU(Rounded<kRound>(tag, scaled), tag, y + j);
  });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#endif  // toggle
