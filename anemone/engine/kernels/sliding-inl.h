// Sums over shifted planes, compiled once for each target. Included again and again by
// foreach_target.h, hence the toggle in place of #pragma once.
#if defined(ANEMONE_ENGINE_SLIDING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ANEMONE_ENGINE_SLIDING_INL_H
#undef ANEMONE_ENGINE_SLIDING_INL_H
#else
#define ANEMONE_ENGINE_SLIDING_INL_H
#endif

#include "anemone/engine/kernels/sliding.h"
#include "anemone/engine/kernels/tile-inl.h"
#include "anemone/engine/kernels/windows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

// Planes [begin, end) of batch and channels, zeros around them.
template <class X>
void FillPlanes(const SlidingPlan& p, const void* x, std::int64_t begin, std::int64_t end,
                float* phases) {
  const ConvShape& s = p.shape;
  const std::int64_t channels = s.groups * s.c;
  for (std::int64_t i = begin; i < end; ++i) {
    FillPhases(p.windows,
               static_cast<const X*>(x) + i / channels * s.x_batch + i % channels * s.x_channel, 0,
               s.out[1], 0.0f, phases + i * p.plane);
  }
}

void FillPlanesHalf(const SlidingPlan& p, const void* x, std::int64_t begin, std::int64_t end,
                    float* phases) {
  FillPlanes<std::uint16_t>(p, x, begin, end, phases);
}
void FillPlanesFloat(const SlidingPlan& p, const void* x, std::int64_t begin, std::int64_t end,
                     float* phases) {
  FillPlanes<float>(p, x, begin, end, phases);
}

#if ANEMONE_HAS_MASKED_MEMORY

// Some vectors whose sums are in registers at a time.
struct SlidingPanel {
  std::int64_t vectors = 0;
  PlacesSource source;
  Segments segments;
};

// `vector` counts over all images; at most kVectors of them.
HWY_INLINE void SetPanel(const SlidingPlan& p, const SlidingMemory& at, std::int64_t group,
                         std::int64_t vector, std::int64_t vectors, SlidingPanel& panel) {
  const ConvShape& s = p.shape;
  const std::int64_t width = s.out[2];
  const std::int64_t pitch = p.windows.pitch;
  panel.vectors = vectors;
  int count = 0;
  for (std::int64_t v = 0; v < vectors; ++v) {
    const std::int64_t image = (vector + v) / p.vectors;
    const std::int64_t start = p.start((vector + v) % p.vectors);
    panel.source.base[v] = at.phases + (image * s.groups + group) * s.c * p.plane + start;
    panel.segments.begin[v] = count;
    // Each run of lanes that lies within a row of the output; of rows, only the first.
    for (std::int64_t lane = 0; lane < p.lanes;) {
      const std::int64_t row = (start + lane) / pitch;
      const std::int64_t column = (start + lane) % pitch;
      if (row >= s.out[1]) break;
      const std::int64_t end = HWY_MIN(p.lanes, lane + width - column);
      if (end > lane) {
        panel.segments.all[count++] = {
            Lanes(lane, end), image * s.groups * s.m * s.out_plane() + row * width + column - lane};
      }
      lane += pitch - column;
      if (p.by_rows) break;
    }
  }
  for (std::int64_t v = vectors; v <= kVectors; ++v) panel.segments.begin[v] = count;
}

template <class W>
void Slide(const SlidingPlan& p, const SlidingMemory& at, const SlidingPiece& piece) {
  const ConvShape& s = p.shape;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(DF()));
  const std::int64_t depth = s.depth();
  const auto* w = static_cast<const W*>(at.w) + (piece.group * s.m + piece.row) * depth;
  float* wide = at.scratch;
  float* sums = wide + kBlockRows * kDepth;
  SlidingPanel panels[kTileColumns / kPanel];
  std::int64_t count = 0;
  for (std::int64_t v = 0; v < piece.vectors; v += kVectors) {
    SetPanel(p, at, piece.group, piece.vector + v, HWY_MIN(kVectors, piece.vectors - v),
             panels[count++]);
  }
  for (std::int64_t k = 0; k < depth; k += kDepth) {
    const std::int64_t part = HWY_MIN(kDepth, depth - k);
    const bool is_last = k + kDepth >= depth;
    for (std::int64_t r = 0; r < piece.rows; r += kBlockRows) {
      const std::int64_t rows = HWY_MIN(kBlockRows, piece.rows - r);
      WidenRows(w + r * depth + k, depth, rows, part, wide);
      for (std::int64_t c = 0; c < count; ++c) {
        SlidingPanel& panel = panels[c];
        panel.source.terms = p.terms.data() + k;
        for (std::int64_t i = 0; i < rows; i += kMicroRows) {
          const std::int64_t channel = piece.group * s.m + piece.row + r + i;
          const Landing landing{.y = at.y,
                                .at = channel * s.out_plane(),
                                .row_step = s.out_plane(),
                                .rows = rows - i,
                                .columns = 0,
                                .bias = at.bias == nullptr ? nullptr : at.bias + channel,
                                .channel = channel,
                                .channel_step = 1};
          AnyMicro(panel.vectors, wide + i * kDepth, panel.source, part,
                   {.sums = sums + (r + i) * kTileColumns + c * kVectors * lanes,
                    .goes_on = k > 0,
                    .finish = is_last ? &at.finish : nullptr,
                    .landing = &landing,
                    .segments = &panel.segments});
        }
      }
    }
  }
}

std::int64_t SlidingLanes() { return static_cast<std::int64_t>(hn::Lanes(DF())); }

#else

template <class W>
void Slide(const SlidingPlan&, const SlidingMemory&, const SlidingPiece&) {}

// 0: not by this target.
std::int64_t SlidingLanes() { return 0; }

#endif

void SlideHalf(const SlidingPlan& p, const SlidingMemory& at, const SlidingPiece& piece) {
  Slide<std::uint16_t>(p, at, piece);
}
void SlideFloat(const SlidingPlan& p, const SlidingMemory& at, const SlidingPiece& piece) {
  Slide<float>(p, at, piece);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#endif  // toggle
