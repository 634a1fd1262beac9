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

// Vectors that follow one another in rows; `kWhole`: all rows and columns of the block are real.
template <bool kWhole, int kV>
struct RowPlaces {
  explicit RowPlaces(const Landing& landing) : to(landing) {
    for (int v = 0; v < kV; ++v) parts[v] = PartOf(to.columns - v * lanes());
  }
  static HWY_INLINE std::int64_t lanes() { return static_cast<std::int64_t>(hn::Lanes(DF())); }
  HWY_INLINE bool is_real(int r) const { return kWhole || r < to.rows; }
  HWY_INLINE std::int64_t at(int r, int v) const { return to.at + r * to.row_step + v * lanes(); }
  HWY_INLINE VF load(const float* from, int r, int v) const {
    return kWhole ? hn::LoadU(DF(), from + at(r, v)) : LoadPart(parts[v], from + at(r, v));
  }
  HWY_INLINE void store(VF value, int r, int v) const {
    kWhole ? hn::StoreU(value, DF(), to.y + at(r, v)) : StorePart(parts[v], value, to.y + at(r, v));
  }

  const Landing& to;
  Part parts[kV];
};

template <int kRows, int kV, class Places>
HWY_INLINE void LandAt(const Finish& finish, const Landing& to, const Places& places,
                       VF (&sums)[kRows][kV]) {
  const DF d;
  const auto of_channel = [&](const float* numbers, int r) HWY_ATTR {
    return places.is_real(r) ? numbers[r * to.channel_step] : 0.0f;
  };
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
            sums[r][v] = OrNaN(sums[r][v], hn::Min(hn::Max(sums[r][v], low), high));
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
          if (!places.is_real(r)) break;
          for (int v = 0; v < kV; ++v) {
            sums[r][v] = hn::Add(sums[r][v], places.load(step.data, r, v));
            if (step.rounds) sums[r][v] = RoundHalf(d, sums[r][v]);
          }
        }
        break;
    }
  }
  for (int r = 0; r < kRows; ++r) {
    if (!places.is_real(r)) break;
    for (int v = 0; v < kV; ++v) places.store(sums[r][v], r, v);
  }
}

template <int kRows, int kV>
HWY_INLINE void Land(const Finish& finish, const Landing& to, VF (&sums)[kRows][kV]) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(DF()));
  to.rows >= kRows&& to.columns >= kV* lanes ? LandAt(finish, to, RowPlaces<true, kV>(to), sums)
                                             : LandAt(finish, to, RowPlaces<false, kV>(to), sums);
}

#if ANEMONE_HAS_MASKED_MEMORY

// Runs of lanes of vectors, each with its own place.
struct Segment {
  hn::Mask<DF> mask;
  std::int64_t at;  // from the landing's, of lane 0
};
struct Segments {
  static constexpr int kMostVectors = 4;
  Segment all[kMostVectors * HWY_MAX_BYTES / sizeof(float)];
  int begin[kMostVectors + 1];  // of each vector
};

HWY_INLINE hn::Mask<DF> Lanes(std::int64_t begin, std::int64_t end) {
  const DF d;
  return hn::AndNot(hn::FirstN(d, static_cast<std::size_t>(begin)),
                    hn::FirstN(d, static_cast<std::size_t>(end)));
}

struct SegmentPlaces {
  HWY_INLINE bool is_real(int r) const { return r < to.rows; }
  HWY_INLINE std::int64_t at(const Segment& segment, int r) const {
    return to.at + segment.at + r * to.row_step;
  }
  HWY_INLINE VF load(const float* from, int r, int v) const {
    const DF d;
    VF all = hn::Zero(d);
    for (int i = segments.begin[v]; i < segments.begin[v + 1]; ++i) {
      const Segment& segment = segments.all[i];
      all = hn::Or(all, hn::MaskedLoad(segment.mask, d, from + at(segment, r)));
    }
    return all;
  }
  HWY_INLINE void store(VF value, int r, int v) const {
    for (int i = segments.begin[v]; i < segments.begin[v + 1]; ++i) {
      const Segment& segment = segments.all[i];
      hn::BlendedStore(value, segment.mask, DF(), to.y + at(segment, r));
    }
  }

  const Landing& to;
  const Segments& segments;
};

// The columns of `to` do not matter.
template <int kRows, int kV>
HWY_INLINE void LandSegments(const Finish& finish, const Landing& to, const Segments& segments,
                             VF (&sums)[kRows][kV]) {
  LandAt(finish, to, SegmentPlaces{to, segments}, sums);
}

#endif

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#endif  // toggle
