// Windows over planes that are read where they lie, compiled once for each target. Included again
// and again by foreach_target.h, hence the toggle in place of #pragma once.
#if defined(ANEMONE_ENGINE_DEPTHWISE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ANEMONE_ENGINE_DEPTHWISE_INL_H
#undef ANEMONE_ENGINE_DEPTHWISE_INL_H
#else
#define ANEMONE_ENGINE_DEPTHWISE_INL_H
#endif

#include "anemone/engine/kernels/depthwise.h"
#include "anemone/engine/kernels/finish-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

// Planes are read where they lie, without a copy that has zeros around it: a lane that looks
// outside is masked, and a row that lies outside is left out. It takes loads that do not touch what
// is masked.
#if ANEMONE_HAS_MASKED_MEMORY

// What the taps of one column of the window see of a row, from a vector of outputs on.
struct Sight {
  std::int64_t at = 0;  // of the first lane's element, perhaps outside
  hn::Mask<DF> low;     // lanes of the vector there that are inside
  hn::Mask<DF> high;    // of the next one, where windows step by two
};

// Lanes i with 0 <= at + i < extent.
HWY_INLINE hn::Mask<DF> Inside(std::int64_t at, std::int64_t extent) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  return Lanes(HWY_MIN(HWY_MAX(-at, 0), lanes), HWY_MIN(HWY_MAX(extent - at, 0), lanes));
}

template <bool kEdge>
HWY_INLINE VF See(const float* HWY_RESTRICT from, const hn::Mask<DF>& mask) {
  const DF d;
  return kEdge ? hn::MaskedLoad(mask, d, from) : hn::LoadU(d, from);
}

// One vector of columns of the output.
struct ColumnBlock {
  std::int64_t column = 0;
  bool is_edge = false;  // some lane looks outside, or is none of the output's
  Sight sights[kMostDirectWidth];
};

template <int kStep>
HWY_INLINE ColumnBlock BlockAt(const ConvShape& s, std::int64_t column) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(DF()));
  ColumnBlock block;
  block.column = column;
  block.is_edge = column + lanes > s.out[2];
  for (std::int64_t across = 0; across < s.kernel[2]; ++across) {
    Sight& sight = block.sights[across];
    sight.at = column * kStep + across * s.dilation[2] - s.before[2];
    sight.low = Inside(sight.at, s.in[2]);
    if (kStep == 2) sight.high = Inside(sight.at + lanes, s.in[2]);
    block.is_edge |= sight.at < 0 || sight.at + kStep * lanes > s.in[2];
  }
  return block;
}

// Adds what one column of taps sees, and the next as well if it lies between (kPair): windows that
// step by two see every other element, and the next column those in between. Each element is loaded
// once for all of the rows and taps that look at it.
template <int kTall, int kStep, int kRows, bool kEdge, bool kPair>
HWY_INLINE void AddColumn(const DirectPlan& p, const Sight& sight, const float* HWY_RESTRICT x,
                          const float* HWY_RESTRICT weights, std::int64_t row,
                          VF (&sums)[kRows][1]) {
  const DF d;
  const ConvShape& s = p.shape;
  constexpr int kDeep = (kRows - 1) * kStep + kTall;
  const std::int64_t first = row * kStep - s.before[1];
  const std::int64_t top = -first;  // rows from here on, and before `end`, are inside
  const std::int64_t end = s.in[1] - first;
  VF w[kTall], next_w[kTall];
  for (int t = 0; t < kTall; ++t) {
    w[t] = hn::Set(d, weights[t * s.kernel[2]]);
    next_w[t] = kPair ? hn::Set(d, weights[t * s.kernel[2] + 1]) : w[t];
  }
  const float* from = x + first * s.x_axis[1] + sight.at;
  HWY_UNROLL(32)
  for (int i = 0; i < kDeep; ++i, from += s.x_axis[1]) {
    if (i < top || i >= end) continue;
    VF seen = See<kEdge>(from, sight.low), next = seen;
    if constexpr (kStep == 2) {
      const VF high = See<kEdge>(from + hn::Lanes(d), sight.high);
      if constexpr (kPair) next = hn::ConcatOdd(d, high, seen);
      seen = hn::ConcatEven(d, high, seen);
    }
    for (int r = 0; r < kRows; ++r) {
      const int t = i - r * kStep;
      if (t < 0 || t >= kTall) continue;
      sums[r][0] = hn::MulAdd(w[t], seen, sums[r][0]);
      if constexpr (kPair) sums[r][0] = hn::MulAdd(next_w[t], next, sums[r][0]);
    }
  }
}

// kRows rows of the output from `row` on, for windows of kTall rows.
template <int kTall, int kStep, int kRows, bool kEdge>
HWY_INLINE void DirectRows(const DirectPlan& p, const ColumnBlock& block,
                           const float* HWY_RESTRICT x, const float* HWY_RESTRICT weights,
                           const Finish& finish, Landing to, std::int64_t row) {
  const ConvShape& s = p.shape;
  VF sums[kRows][1];
  for (int r = 0; r < kRows; ++r) sums[r][0] = hn::Zero(DF());
  std::int64_t across = 0;
  if (kStep == 2 && s.dilation[2] == 1) {
    for (; across + 2 <= s.kernel[2]; across += 2) {
      AddColumn<kTall, kStep, kRows, kEdge, kStep == 2>(p, block.sights[across], x,
                                                        weights + across, row, sums);
    }
  }
  for (; across < s.kernel[2]; ++across) {
    AddColumn<kTall, kStep, kRows, kEdge, false>(p, block.sights[across], x, weights + across, row,
                                                 sums);
  }
  to.at += row * s.out[2];
  to.rows = kRows;
  Land<kRows, 1>(finish, to, sums);
}

template <int kTall, int kStep, bool kEdge>
HWY_NOINLINE void DirectColumn(const DirectPlan& p, const ColumnBlock& block, const float* x,
                               const float* weights, const Finish& finish, const Landing& to,
                               std::int64_t row, std::int64_t rows) {
  const std::int64_t end = row + rows;
  // What is left in the end is done together with some rows once more.
  std::int64_t r = row;
  if (rows >= 7) {
    for (; end - r > 4; r += 7) {
      DirectRows<kTall, kStep, 7, kEdge>(p, block, x, weights, finish, to, HWY_MIN(r, end - 7));
    }
  }
  if (rows >= 4) {
    for (; r < end; r += 4) {
      DirectRows<kTall, kStep, 4, kEdge>(p, block, x, weights, finish, to, HWY_MIN(r, end - 4));
    }
  }
  for (; r < end; ++r) DirectRows<kTall, kStep, 1, kEdge>(p, block, x, weights, finish, to, r);
}

template <int kTall, int kStep>
void Direct(const DirectPlan& p, const DirectMemory& at, const DirectUnit& unit) {
  const ConvShape& s = p.shape;
  const std::int64_t channels = s.groups * s.m;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(DF()));
  for (std::int64_t column = 0; column < s.out[2]; column += lanes) {
    const ColumnBlock block = BlockAt<kStep>(s, column);
    const auto work =
        block.is_edge ? &DirectColumn<kTall, kStep, true> : &DirectColumn<kTall, kStep, false>;
    std::int64_t channel = unit.plane % channels;
    std::int64_t image = unit.plane / channels;
    Landing to{.y = at.y,
               .at = unit.plane * s.out_plane() + column,
               .row_step = s.out[2],
               .rows = 0,
               .columns = s.out[2] - column,
               .bias = nullptr,
               .channel = 0,
               .channel_step = 0};
    for (std::int64_t i = 0; i < unit.planes; ++i, to.at += s.out_plane()) {
      const std::int64_t source = s.m == 1 ? channel : channel / s.m;
      to.bias = at.bias == nullptr ? nullptr : at.bias + channel;
      to.channel = channel;
      work(p, block, at.x + image * s.x_batch + source * s.x_channel,
           at.weights + channel * s.taps(), at.finish, to, unit.row, unit.rows);
      if (++channel < channels) continue;
      channel = 0;
      ++image;
    }
  }
}

template <int kStep>
DirectFunction DirectOfStep(std::int64_t tall) {
  switch (tall) {
    case 1:
      return &Direct<1, kStep>;
    case 2:
      return &Direct<2, kStep>;
    case 3:
      return &Direct<3, kStep>;
    case 5:
      return &Direct<5, kStep>;
    case 7:
      return &Direct<7, kStep>;
    default:
      return nullptr;
  }
}

// Null where planes must be copied first.
DirectFunction DirectFor(const ConvShape& s) {
  const std::int64_t step = s.stride[2];
  if (s.x_axis[2] != 1 && s.in[2] > 1) return nullptr;
  if (step > 2 || (s.stride[1] != step && s.out[1] > 1)) return nullptr;
  if ((s.dilation[1] > 1 && s.kernel[1] > 1) || s.kernel[2] > kMostDirectWidth) return nullptr;
  return step == 1 ? DirectOfStep<1>(s.kernel[1]) : DirectOfStep<2>(s.kernel[1]);
}

#else

DirectFunction DirectFor(const ConvShape&) { return nullptr; }

#endif

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#endif  // toggle
