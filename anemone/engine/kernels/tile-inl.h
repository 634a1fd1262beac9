// The innermost loop of products with many columns, compiled once for each target. Included again
// and again by foreach_target.h, hence the toggle in place of #pragma once.
#if defined(ANEMONE_ENGINE_TILE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ANEMONE_ENGINE_TILE_INL_H
#undef ANEMONE_ENGINE_TILE_INL_H
#else
#define ANEMONE_ENGINE_TILE_INL_H
#endif

#include "anemone/engine/kernels/finish-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR
constexpr int kVectors = 2;
constexpr std::int64_t kPanel = kVectors;
constexpr std::int64_t kDepth = 256;
#else
// As many sums as the registers hold: 6 rows of 4 vectors where there are 32 registers, of 2 where
// there are 16.
constexpr int kVectors = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON ? 4 : 2;
constexpr std::int64_t kPanel = kVectors * static_cast<std::int64_t>(HWY_LANES(float));
// k at a time, so that a panel's part and w's stay in the first cache.
constexpr std::int64_t kDepth = kPanel >= 64 ? 128 : 256;
#endif
constexpr int kMicroRows = 6;
// Columns whose sums a piece of work keeps at hand.
constexpr std::int64_t kTileColumns = 128;
static_assert(kTileColumns % kPanel == 0);

// Columns in the panel that starts at `column`, filled up to whole vectors.
HWY_INLINE std::int64_t PanelWidth(std::int64_t n, std::int64_t column) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(DF()));
  return HWY_MIN(kPanel, (n - column + lanes - 1) / lanes * lanes);
}

// Sums of one block and what becomes of them.
struct MicroSums {
  float* sums = nullptr;             // kTileColumns apart, aligned
  bool goes_on = false;              // from what they are; else from 0
  const Finish* finish = nullptr;    // null: back into `sums`
  const Landing* landing = nullptr;  // where they are once complete; which rows are real
#if ANEMONE_HAS_MASKED_MEMORY
  const Segments* segments = nullptr;  // of the landing, if vectors do not follow one another
#endif
};

// Where the vectors of each k are: one after another in a panel, or each at a place of its own.
struct PanelSource {
  const float* panel;
  template <int kV>
  HWY_INLINE const float* row(std::int64_t k) const {
    return panel + k * kV * static_cast<std::int64_t>(hn::Lanes(DF()));
  }
  HWY_INLINE VF load(const float* row, int v) const {
    const DF d;
    return hn::LoadU(d, row + v * static_cast<std::int64_t>(hn::Lanes(d)));
  }
};
struct PlacesSource {
  const float* base[kVectors];
  const std::int64_t* terms;  // from the base
  template <int kV>
  HWY_INLINE std::int64_t row(std::int64_t k) const {
    return terms[k];
  }
  HWY_INLINE VF load(std::int64_t row, int v) const { return hn::LoadU(DF(), base[v] + row); }
};

// Rows of w, `step` apart, as fp32, kDepth apart.
template <class W>
HWY_INLINE void WidenRows(const W* HWY_RESTRICT w, std::int64_t step, std::int64_t rows,
                          std::int64_t depth, float* HWY_RESTRICT wide) {
  for (std::int64_t r = 0; r < rows; ++r, w += step, wide += kDepth) {
    ForEach(depth, [&](auto d, std::int64_t i)
                       HWY_ATTR { hn::StoreU(LoadStored(d, w + i), d, wide + i); });
  }
}

// kRows rows of widened w (kDepth apart) times kV vectors, over `depth` k.
template <int kRows, int kV, class Source>
HWY_NOINLINE void Micro(const float* HWY_RESTRICT w, const Source source, std::int64_t depth,
                        const MicroSums& at) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  VF acc[kRows][kV];
  if (at.goes_on) {
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kV; ++v) acc[r][v] = hn::Load(d, at.sums + r * kTileColumns + v * lanes);
    }
  } else {
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kV; ++v) acc[r][v] = hn::Zero(d);
    }
  }
  for (std::int64_t k = 0; k < depth; ++k) {
    const auto row = source.template row<kV>(k);
    VF xs[kV];
    for (int v = 0; v < kV; ++v) xs[v] = source.load(row, v);
    for (int r = 0; r < kRows; ++r) {
      const VF ws = hn::Set(d, w[r * kDepth + k]);
      for (int v = 0; v < kV; ++v) acc[r][v] = hn::MulAdd(ws, xs[v], acc[r][v]);
    }
  }
  if (at.finish != nullptr) {
#if ANEMONE_HAS_MASKED_MEMORY
    if (at.segments != nullptr) {
      return LandSegments<kRows, kV>(*at.finish, *at.landing, *at.segments, acc);
    }
#endif
    return Land<kRows, kV>(*at.finish, *at.landing, acc);
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kV; ++v) hn::Store(acc[r][v], d, at.sums + r * kTileColumns + v * lanes);
  }
}

// The first kMicroRows rows, or as many as the landing has. Rows that are few are summed alone only
// where vectors are most.
template <class Source>
HWY_INLINE void AnyMicro(std::int64_t vectors, const float* w, const Source& source,
                         std::int64_t depth, const MicroSums& at) {
  if (vectors == kVectors) {
    if (at.landing->rows <= 2) return Micro<2, kVectors>(w, source, depth, at);
    if (at.landing->rows <= 4) return Micro<4, kVectors>(w, source, depth, at);
    return Micro<kMicroRows, kVectors>(w, source, depth, at);
  }
  if constexpr (kVectors > 2) {
    if (vectors == 3) return Micro<kMicroRows, 3>(w, source, depth, at);
    if (vectors == 2) return Micro<kMicroRows, 2>(w, source, depth, at);
  }
  return Micro<kMicroRows, 1>(w, source, depth, at);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#endif  // toggle
