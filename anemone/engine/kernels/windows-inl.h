// Windows over planes, compiled once for each target. Included again and again by foreach_target.h,
// hence the toggle in place of #pragma once.
#if defined(ANEMONE_ENGINE_WINDOWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ANEMONE_ENGINE_WINDOWS_INL_H
#undef ANEMONE_ENGINE_WINDOWS_INL_H
#else
#define ANEMONE_ENGINE_WINDOWS_INL_H
#endif

#include <cstring>
#include <type_traits>

#include "anemone/engine/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

// Every `step`-th element, widened, one after another.
template <class X>
HWY_INLINE void CopyRun(const X* HWY_RESTRICT from, std::int64_t step, std::int64_t n,
                        float* HWY_RESTRICT to) {
  if (step == 1) {
    if constexpr (std::is_same_v<X, float>) {
      std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(float));
    } else {
      ForEach(n, [&](auto d, std::int64_t i)
                     HWY_ATTR { hn::StoreU(LoadStored(d, from + i), d, to + i); });
    }
    return;
  }
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  if (step == 2) {
    const DF d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    // The element behind the last one is not touched: it may lie past the end.
    for (; i + lanes < n; i += lanes) {
      const VF low = LoadStored(d, from + 2 * i);
      const VF high = LoadStored(d, from + 2 * i + lanes);
      hn::StoreU(hn::ConcatEven(d, high, low), d, to + i);
    }
  }
#endif
  for (; i < n; ++i) to[i] = Widen(from[i * step]);
}

HWY_INLINE void Fill(float* to, std::int64_t n, float value) {
  ForEach(n, [&](auto d, std::int64_t i) HWY_ATTR { hn::StoreU(hn::Set(d, value), d, to + i); });
}

// `n` elements along an axis of `extent`, `stride` apart from `first` on, `outside` where there are
// none. Elements of x lie `step` apart.
template <class X>
HWY_INLINE void CopyPadded(const X* x, std::int64_t step, std::int64_t extent, std::int64_t first,
                           std::int64_t stride, std::int64_t n, float outside, float* to) {
  const std::int64_t low = HWY_MIN(n, first >= 0 ? 0 : (-first + stride - 1) / stride);
  const std::int64_t room = extent - first;
  const std::int64_t high = HWY_MAX(low, HWY_MIN(n, room <= 0 ? 0 : (room + stride - 1) / stride));
  Fill(to, low, outside);
  if (high > low) CopyRun(x + (first + low * stride) * step, stride * step, high - low, to + low);
  Fill(to + high, n - high, outside);
}

// The phases of rows [row, row + rows) of the output.
template <class X>
HWY_INLINE void FillPhases(const WindowPlan& p, const X* x, std::int64_t row, std::int64_t rows,
                           float outside, float* phases) {
  const ConvShape& s = p.shape;
  const std::int64_t deep = rows + p.deep - p.rows;
  for (std::size_t i = 0; i < p.used.size(); ++i) {
    if (!p.used[i]) continue;
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t down = at / s.stride[2] - s.before[1];
    const std::int64_t right = at % s.stride[2] - s.before[2];
    float* to = phases + at * p.phase;
    // All of it first, since short runs of numbers around every row take longer.
    Fill(to, deep * p.pitch, outside);
    // Columns [low, high) look inside.
    const std::int64_t stride = s.stride[2];
    const std::int64_t low = HWY_MIN(p.pitch, right >= 0 ? 0 : (-right + stride - 1) / stride);
    const std::int64_t room = s.in[2] - right;
    const std::int64_t high =
        HWY_MAX(low, HWY_MIN(p.pitch, room <= 0 ? 0 : (room + stride - 1) / stride));
    const X* from = x + (right + low * stride) * s.x_axis[2];
    for (std::int64_t r = 0; r < deep; ++r, to += p.pitch) {
      const std::int64_t h = (row + r) * s.stride[1] + down;
      if (h < 0 || h >= s.in[1] || high == low) continue;
      CopyRun(from + h * s.x_axis[1], stride * s.x_axis[2], high - low, to + low);
    }
  }
}

struct WeightedSum {
  static constexpr float kOutside = 0;
  template <class D, class V>
  static HWY_INLINE V add(D d, V sum, V x, const float* w) {
    return hn::MulAdd(hn::Set(d, *w), x, sum);
  }
};
struct PlainSum {
  static constexpr float kOutside = 0;
  template <class D, class V>
  static HWY_INLINE V add(D, V sum, V x, const float*) {
    return hn::Add(sum, x);
  }
};
struct SquareSum {
  static constexpr float kOutside = 0;
  template <class D, class V>
  static HWY_INLINE V add(D, V sum, V x, const float*) {
    return hn::MulAdd(x, x, sum);
  }
};
struct Greatest {
  static constexpr float kOutside = -std::numeric_limits<float>::infinity();
  // What is no number never wins.
  template <class D, class V>
  static HWY_INLINE V add(D, V sum, V x, const float*) {
    return hn::IfThenElse(hn::Gt(x, sum), x, sum);
  }
};

// results[i] over all taps of phases[i + shift], for i in [0, n) rounded up to vectors.
template <class Of>
void OverTaps(const WindowPlan& p, const float* HWY_RESTRICT phases, const float* weights,
              std::int64_t n, float* HWY_RESTRICT results) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto taps = static_cast<std::int64_t>(p.shifts.size());
  const std::int32_t* shifts = p.shifts.data();
  std::int64_t i = 0;
  for (; i + 3 * lanes < n; i += 4 * lanes) {
    VF a0 = hn::Set(d, Of::kOutside), a1 = a0, a2 = a0, a3 = a0;
    for (std::int64_t t = 0; t < taps; ++t) {
      const float* from = phases + shifts[t] + i;
      a0 = Of::add(d, a0, hn::LoadU(d, from), weights + t);
      a1 = Of::add(d, a1, hn::LoadU(d, from + lanes), weights + t);
      a2 = Of::add(d, a2, hn::LoadU(d, from + 2 * lanes), weights + t);
      a3 = Of::add(d, a3, hn::LoadU(d, from + 3 * lanes), weights + t);
    }
    hn::StoreU(a0, d, results + i);
    hn::StoreU(a1, d, results + i + lanes);
    hn::StoreU(a2, d, results + i + 2 * lanes);
    hn::StoreU(a3, d, results + i + 3 * lanes);
  }
  for (; i < n; i += lanes) {
    VF sum = hn::Set(d, Of::kOutside);
    for (std::int64_t t = 0; t < taps; ++t) {
      sum = Of::add(d, sum, hn::LoadU(d, phases + shifts[t] + i), weights + t);
    }
    hn::StoreU(sum, d, results + i);
  }
}

// kRows rows of kV vectors from column `at` on, for windows that step by one: each element is
// loaded once for all the rows that look at it.
template <int kRows, int kV>
HWY_INLINE void RowBlock(const WindowPlan& p, const float* HWY_RESTRICT phases,
                         const float* HWY_RESTRICT weights, VF (&sums)[kRows][kV]) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t tall = p.shape.kernel[1];
  const std::int64_t wide = p.shape.kernel[2];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kV; ++v) sums[r][v] = hn::Zero(d);
  }
  for (std::int64_t across = 0; across < wide; ++across) {
    const float* from = phases + p.shifts[static_cast<std::size_t>(across)];
    const float* w = weights + across;
    for (std::int64_t i = 0; i < tall + kRows - 1; ++i, from += p.pitch) {
      VF x[kV];
      for (int v = 0; v < kV; ++v) x[v] = hn::LoadU(d, from + v * lanes);
      for (int r = 0; r < kRows; ++r) {
        const std::int64_t down = i - r;
        if (down < 0 || down >= tall) continue;
        const VF weight = hn::Set(d, w[down * wide]);
        for (int v = 0; v < kV; ++v) sums[r][v] = hn::MulAdd(weight, x[v], sums[r][v]);
      }
    }
  }
}

// The same for kTall rows of taps, so that all of it unrolls.
template <int kTall, int kRows, int kV>
HWY_INLINE void TallBlock(const WindowPlan& p, const float* HWY_RESTRICT phases,
                          const float* HWY_RESTRICT weights, VF (&sums)[kRows][kV]) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t wide = p.shape.kernel[2];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kV; ++v) sums[r][v] = hn::Zero(d);
  }
  for (std::int64_t across = 0; across < wide; ++across) {
    const float* from = phases + p.shifts[static_cast<std::size_t>(across)];
    VF w[kTall];
    for (int t = 0; t < kTall; ++t) w[t] = hn::Set(d, weights[t * wide + across]);
    for (int i = 0; i < kTall + kRows - 1; ++i) {
      for (int v = 0; v < kV; ++v) {
        const VF x = hn::LoadU(d, from + i * p.pitch + v * lanes);
        for (int r = 0; r < kRows; ++r) {
          if (i - r < 0 || i - r >= kTall) continue;
          sums[r][v] = hn::MulAdd(w[i - r], x, sums[r][v]);
        }
      }
    }
  }
}

template <int kRows, int kV>
HWY_INLINE void AnyBlock(const WindowPlan& p, const float* phases, const float* weights,
                         VF (&sums)[kRows][kV]) {
  switch (p.shape.kernel[1]) {
    case 3:
      return TallBlock<3, kRows, kV>(p, phases, weights, sums);
    case 5:
      return TallBlock<5, kRows, kV>(p, phases, weights, sums);
    default:
      return RowBlock<kRows, kV>(p, phases, weights, sums);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#endif  // toggle
