#include "anemone/engine/target.h"
// First of all, since it says which targets there are.
#include "anemone/engine/product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "anemone/engine/product.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which sets what it sees.
#include "anemone/engine/kernels/tile-inl.h"
#include "hwy/cache_control.h"

// Shared by all targets.
#ifndef ANEMONE_ENGINE_PRODUCT_ONCE
#define ANEMONE_ENGINE_PRODUCT_ONCE
namespace anemone::engine {
namespace {
constexpr std::int64_t kDotRows = 4;        // rows of w that one step of "dot" takes
constexpr std::int64_t kAxpyColumns = 128;  // columns of a piece of "axpy"
constexpr std::int64_t kTileRows = 24;      // rows of a piece of "tile"
constexpr std::int64_t kMaxDotColumns = 8;
constexpr std::int64_t kMaxAxpyRows = 8;
constexpr std::int64_t kPackStep = 64;  // k of one piece of packing
constexpr std::int64_t kMaxLanes = 16;
constexpr std::int64_t kMaxSplit = 4;  // columns of "tile" that are summed along k
}  // namespace
}  // namespace anemone::engine
#endif

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

template <bool kRound>
HWY_INLINE float RoundOne(float value) {
  if constexpr (kRound) {
    const hn::CappedTag<float, 1> d;
    return hn::GetLane(RoundHalf(d, hn::Set(d, value)));
  } else {
    return value;
  }
}

// ---- dot: each element one sum over lanes; w streams from memory, x stays in cache ----

// kRows rows of w times kColumns columns of x, which are contiguous along k and `x_n` apart.
// Bandwidth decides here: the rows of the next step are fetched while this one is multiplied.
template <int kRows, int kColumns, class W>
HWY_INLINE void DotStep(const W* HWY_RESTRICT w, std::int64_t w_row, const float* HWY_RESTRICT x,
                        std::int64_t x_n, std::int64_t k, float* HWY_RESTRICT sums) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  constexpr int kSums = kColumns == 1 ? 2 : 1;  // enough chains to hide the latency of an FMA
  VF acc[kRows][kColumns][kSums];
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c) {
      for (int s = 0; s < kSums; ++s) acc[r][c][s] = hn::Zero(d);
    }
  }
  const std::int64_t step = kSums * lanes;
  std::int64_t i = 0;
  for (; i + step <= k; i += step) {
    VF xs[kColumns][kSums];
    for (int c = 0; c < kColumns; ++c) {
      for (int s = 0; s < kSums; ++s) xs[c][s] = hn::LoadU(d, x + c * x_n + i + s * lanes);
    }
    for (int r = 0; r < kRows; ++r) {
      const W* row = w + r * w_row + i;
      hwy::Prefetch(row + kRows * w_row);
      for (int s = 0; s < kSums; ++s) {
        const VF ws = LoadStored(d, row + s * lanes);
        for (int c = 0; c < kColumns; ++c) acc[r][c][s] = hn::MulAdd(ws, xs[c][s], acc[r][c][s]);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c) {
      VF all = acc[r][c][0];
      if constexpr (kSums == 2) all = hn::Add(all, acc[r][c][kSums - 1]);
      float sum = hn::GetLane(hn::SumOfLanes(d, all));
      for (std::int64_t j = i; j < k; ++j) sum += Widen(w[r * w_row + j]) * x[c * x_n + j];
      sums[r * kColumns + c] = sum;
    }
  }
}

template <int kRows, int kColumns, bool kRound, class W>
HWY_INLINE void DotBlock(const Product& p, const W* w, const float* x, std::int64_t x_n,
                         const float* bias, float* y, std::int64_t row, std::int64_t column) {
  float sums[kRows * kColumns];
  DotStep<kRows, kColumns>(w + row * p.w_row, p.w_row, x + column * x_n, x_n, p.k, sums);
  for (int r = 0; r < kRows; ++r) {
    const float b = bias == nullptr ? 0.0f : bias[row + r];
    for (int c = 0; c < kColumns; ++c) {
      y[(row + r) * p.y_m + (column + c) * p.y_n] = RoundOne<kRound>(sums[r * kColumns + c] + b);
    }
  }
}

template <int kRows, bool kRound, class W>
HWY_INLINE void DotColumns(const Product& p, const W* w, const float* x, std::int64_t x_n,
                           const float* bias, float* y, std::int64_t row) {
  std::int64_t c = 0;
  for (; c + 4 <= p.n; c += 4) DotBlock<kRows, 4, kRound>(p, w, x, x_n, bias, y, row, c);
  switch (p.n - c) {
    case 3:
      return DotBlock<kRows, 3, kRound>(p, w, x, x_n, bias, y, row, c);
    case 2:
      return DotBlock<kRows, 2, kRound>(p, w, x, x_n, bias, y, row, c);
    case 1:
      return DotBlock<kRows, 1, kRound>(p, w, x, x_n, bias, y, row, c);
    default:
      return;
  }
}

template <bool kRound, class W>
void Dot(const Product& p, const void* w_bytes, const float* x, std::int64_t x_n, const float* bias,
         float* y, std::int64_t begin, std::int64_t end) {
  const W* w = static_cast<const W*>(w_bytes);
  for (std::int64_t piece = begin; piece < end; ++piece) {
    std::int64_t row = piece * kDotRows;
    if (row + kDotRows <= p.m) {
      DotColumns<kDotRows, kRound>(p, w, x, x_n, bias, y, row);
    } else {
      for (; row < p.m; ++row) DotColumns<1, kRound>(p, w, x, x_n, bias, y, row);
    }
  }
}

// x as it lies, or packed columns one after another.
void RunDot(const Product& p, const void* w, const void* x, const float* bias, float* y,
            std::int64_t begin, std::int64_t end, const Finish*) {
  const float* columns = static_cast<const float*>(x);
  const bool packed = p.x_stored != DType::kF32 || (p.x_k != 1 && p.k > 1);
  const std::int64_t x_n = packed ? p.k : p.x_n;
  if (p.w_stored == DType::kF16) {
    p.rounds ? Dot<true, std::uint16_t>(p, w, columns, x_n, bias, y, begin, end)
             : Dot<false, std::uint16_t>(p, w, columns, x_n, bias, y, begin, end);
  } else {
    p.rounds ? Dot<true, float>(p, w, columns, x_n, bias, y, begin, end)
             : Dot<false, float>(p, w, columns, x_n, bias, y, begin, end);
  }
}

template <class X>
void PackColumnsOf(const Product& p, const X* x, float* packed, std::int64_t begin,
                   std::int64_t end) {
  for (std::int64_t k = begin * kPackStep; k < HWY_MIN(end * kPackStep, p.k); ++k) {
    for (std::int64_t n = 0; n < p.n; ++n) packed[n * p.k + k] = Widen(x[k * p.x_k + n * p.x_n]);
  }
}

void PackColumns(const Product& p, const void* x, float* packed, std::int64_t begin,
                 std::int64_t end) {
  p.x_stored == DType::kF16
      ? PackColumnsOf(p, static_cast<const std::uint16_t*>(x), packed, begin, end)
      : PackColumnsOf(p, static_cast<const float*>(x), packed, begin, end);
}

// ---- axpy: few rows of w; x streams from memory, contiguous along n ----

// Sums of kRows rows and kVectors vectors of columns over k in [0, depth), added to `sums`.
template <int kRows, int kVectors, class D, class W, class X>
HWY_INLINE void AxpyStep(D d, const W* HWY_RESTRICT w, std::int64_t w_row, const X* HWY_RESTRICT x,
                         std::int64_t x_k, std::int64_t depth, float* HWY_RESTRICT sums,
                         std::int64_t stride) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<D> acc[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) acc[r][v] = hn::LoadU(d, sums + r * stride + v * lanes);
  }
  for (std::int64_t k = 0; k < depth; ++k) {
    hn::Vec<D> xs[kVectors];
    for (int v = 0; v < kVectors; ++v) xs[v] = LoadStored(d, x + k * x_k + v * lanes);
    for (int r = 0; r < kRows; ++r) {
      const auto ws = hn::Set(d, Widen(w[r * w_row + k]));
      for (int v = 0; v < kVectors; ++v) acc[r][v] = hn::MulAdd(ws, xs[v], acc[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) hn::StoreU(acc[r][v], d, sums + r * stride + v * lanes);
  }
}

template <int kRows, class W, class X>
HWY_INLINE void AxpyColumns(const W* w, std::int64_t w_row, const X* x, std::int64_t x_k,
                            std::int64_t depth, std::int64_t columns, float* sums) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t c = 0;
  for (; c + 4 * lanes <= columns; c += 4 * lanes) {
    AxpyStep<kRows, 4>(d, w, w_row, x + c, x_k, depth, sums + c, kAxpyColumns);
  }
  for (; c + lanes <= columns; c += lanes) {
    AxpyStep<kRows, 1>(d, w, w_row, x + c, x_k, depth, sums + c, kAxpyColumns);
  }
  const hn::CappedTag<float, 1> d1;
  for (; c < columns; ++c) {
    AxpyStep<kRows, 1>(d1, w, w_row, x + c, x_k, depth, sums + c, kAxpyColumns);
  }
}

template <class W, class X>
void Axpy(const Product& p, const W* w, const X* x, const float* bias, float* y, std::int64_t begin,
          std::int64_t end) {
  constexpr std::int64_t kBlock = 64;  // x rows that stay in the first cache for all of w's rows
  for (std::int64_t piece = begin; piece < end; ++piece) {
    const std::int64_t first = piece * kAxpyColumns;
    const std::int64_t columns = HWY_MIN(kAxpyColumns, p.n - first);
    HWY_ALIGN float sums[kMaxAxpyRows * kAxpyColumns] = {};
    for (std::int64_t k = 0; k < p.k; k += kBlock) {
      const std::int64_t depth = HWY_MIN(kBlock, p.k - k);
      const X* rows = x + k * p.x_k + first;
      std::int64_t m = 0;
      for (; m + 2 <= p.m; m += 2) {
        AxpyColumns<2>(w + m * p.w_row + k, p.w_row, rows, p.x_k, depth, columns,
                       sums + m * kAxpyColumns);
      }
      if (m < p.m) {
        AxpyColumns<1>(w + m * p.w_row + k, p.w_row, rows, p.x_k, depth, columns,
                       sums + m * kAxpyColumns);
      }
    }
    for (std::int64_t m = 0; m < p.m; ++m) {
      const float b = bias == nullptr ? 0.0f : bias[m];
      float* from = sums + m * kAxpyColumns;
      float* to = y + m * p.y_m + first * p.y_n;
      ForEach(columns, [&](auto d, std::int64_t i) HWY_ATTR {
        auto sum = hn::Add(hn::LoadU(d, from + i), hn::Set(d, b));
        if (p.rounds) sum = RoundHalf(d, sum);
        hn::StoreU(sum, d, (p.y_n == 1 ? to : from) + i);
      });
      for (std::int64_t c = 0; p.y_n != 1 && c < columns; ++c) to[c * p.y_n] = from[c];
    }
  }
}

void RunAxpy(const Product& p, const void* w, const void* x, const float* bias, float* y,
             std::int64_t begin, std::int64_t end, const Finish*) {
  const auto* wh = static_cast<const std::uint16_t*>(w);
  const auto* wf = static_cast<const float*>(w);
  const auto* xh = static_cast<const std::uint16_t*>(x);
  const auto* xf = static_cast<const float*>(x);
  if (p.w_stored == DType::kF16) {
    p.x_stored == DType::kF16 ? Axpy(p, wh, xh, bias, y, begin, end)
                              : Axpy(p, wh, xf, bias, y, begin, end);
  } else {
    p.x_stored == DType::kF16 ? Axpy(p, wf, xh, bias, y, begin, end)
                              : Axpy(p, wf, xf, bias, y, begin, end);
  }
}

// ---- tile: x packed into panels of kPanel columns, each [k][kPanel]; w widened block by block
// ----

static_assert(kTileRows % kMicroRows == 0);

// Columns at the end that are summed along k, lanes of it at a time, since they would fill so
// little of a vector that it takes longer.
HWY_INLINE std::int64_t SplitColumns(const Product& p) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(DF()));
  const std::int64_t rest = p.n % lanes;
  if (!p.may_split || p.y_n != 1 || rest == 0 || rest > kMaxSplit || rest == p.n) return 0;
  // In cycles of kMicroRows rows: two FMAs at a time, and to add up the lanes; a vector of columns.
  const std::int64_t alone = rest * kMicroRows * (p.k / lanes / 2 + 8);
  return 2 * alone < kMicroRows / 2 * p.k ? rest : 0;
}

template <class X>
void PackPanelsOf(const Product& p, const X* x, float* packed, std::int64_t begin,
                  std::int64_t end) {
  const std::int64_t k0 = begin * kPackStep;
  const std::int64_t k1 = HWY_MIN(end * kPackStep, p.k);
  const std::int64_t columns = p.n - SplitColumns(p);
  for (std::int64_t column = columns; column < p.n; ++column) {
    const X* from = x + column * p.x_n;
    for (std::int64_t k = k0; k < k1; ++k) packed[column * p.k + k] = Widen(from[k * p.x_k]);
  }
  for (std::int64_t column = 0; column < columns; column += kPanel) {
    const std::int64_t width = PanelWidth(columns, column);
    const std::int64_t real = HWY_MIN(width, columns - column);
    float* panel = packed + column * p.k;
    if (p.x_n == 1) {
      for (std::int64_t k = k0; k < k1; ++k) {
        const X* from = x + k * p.x_k + column;
        float* to = panel + k * width;
        ForEach(real, [&](auto d, std::int64_t i)
                          HWY_ATTR { hn::StoreU(LoadStored(d, from + i), d, to + i); });
        for (std::int64_t i = real; i < width; ++i) to[i] = 0.0f;
      }
      continue;
    }
    float* to = panel + k0 * width;
    const X* from = x + column * p.x_n + k0 * p.x_k;
    if constexpr (std::is_same_v<X, float>) {
      if (p.x_k == 1) {
        Transpose(from, p.x_n, to, width, real, k1 - k0);
        for (std::int64_t k = k0; k < k1; ++k) {
          for (std::int64_t i = real; i < width; ++i) panel[k * width + i] = 0.0f;
        }
        continue;
      }
    }
    for (std::int64_t k = k0; k < k1; ++k, to += width) {
      for (std::int64_t i = 0; i < width; ++i) {
        to[i] = i < real ? Widen(from[i * p.x_n + (k - k0) * p.x_k]) : 0.0f;
      }
    }
  }
}

void PackPanels(const Product& p, const void* x, float* packed, std::int64_t begin,
                std::int64_t end) {
  p.x_stored == DType::kF16
      ? PackPanelsOf(p, static_cast<const std::uint16_t*>(x), packed, begin, end)
      : PackPanelsOf(p, static_cast<const float*>(x), packed, begin, end);
}

// Rows [row, row + rows) of columns [column, column + columns), columns <= kTileColumns: finished
// in their places if `finish` is given, else as sums.
template <class W>
HWY_INLINE void TileSums(const Product& p, const W* w, const float* packed, std::int64_t row,
                         std::int64_t rows, std::int64_t column, std::int64_t columns,
                         float* HWY_RESTRICT wide, float* HWY_RESTRICT sums, const float* bias,
                         float* y, const Finish* finish) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(DF()));
  for (std::int64_t k = 0; k < p.k || k == 0; k += kDepth) {
    const std::int64_t depth = HWY_MIN(kDepth, p.k - k);
    WidenRows(w + row * p.w_row + k, p.w_row, rows, depth, wide);
    const bool is_last = k + kDepth >= p.k;
    for (std::int64_t c = 0; c < columns; c += kPanel) {
      const std::int64_t width = PanelWidth(column + columns, column + c);
      const float* panel = packed + (column + c) * p.k + k * width;
      for (std::int64_t r = 0; r < rows; r += kMicroRows) {
        const Landing landing{.y = y,
                              .at = (row + r) * p.y_m + column + c,
                              .row_step = p.y_m,
                              .rows = rows - r,
                              .columns = columns - c,
                              .bias = bias == nullptr ? nullptr : bias + row + r,
                              .channel = row + r,
                              .channel_step = 1};
        AnyMicro(width / lanes, wide + r * kDepth, PanelSource{panel}, depth,
                 {.sums = sums + r * kTileColumns + c,
                  .goes_on = k > 0,
                  .finish = is_last ? finish : nullptr,
                  .landing = &landing});
      }
    }
  }
}

// Adds the bias and rounds where the sums are, then puts them in their places.
template <bool kRound>
HWY_INLINE void TileOut(const Product& p, float* HWY_RESTRICT sums, const float* bias,
                        float* HWY_RESTRICT y, std::int64_t row, std::int64_t rows,
                        std::int64_t column, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const float b = bias == nullptr ? 0.0f : bias[row + r];
    float* from = sums + r * kTileColumns;
    ForEach(columns, [&](auto d, std::int64_t i) HWY_ATTR {
      const auto sum = hn::Add(hn::LoadU(d, from + i), hn::Set(d, b));
      hn::StoreU(Rounded<kRound>(d, sum), d, from + i);
    });
  }
  if (p.y_m == 1) {
    return Transpose(sums, kTileColumns, y + row + column * p.y_n, p.y_n, rows, columns);
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      y[(row + r) * p.y_m + (column + c) * p.y_n] = sums[r * kTileColumns + c];
    }
  }
}

// Rows [row, row + rows) of the columns from `column` on, which are summed along k.
template <int kColumns, class W>
HWY_INLINE void SplitRows(const Product& p, const W* w, const float* packed, const float* bias,
                          float* y, std::int64_t row, std::int64_t rows, const Finish& finish) {
  const std::int64_t column = p.n - kColumns;
  float sums[kTileRows * kColumns];
  std::int64_t r = 0;
  for (; r + kDotRows <= rows; r += kDotRows) {
    DotStep<kDotRows, kColumns>(w + (row + r) * p.w_row, p.w_row, packed + column * p.k, p.k, p.k,
                                sums + r * kColumns);
  }
  for (; r < rows; ++r) {
    DotStep<1, kColumns>(w + (row + r) * p.w_row, p.w_row, packed + column * p.k, p.k, p.k,
                         sums + r * kColumns);
  }
  const Part part = PartOf(kColumns);
  for (r = 0; r < rows; ++r) {
    VF sum[1][1] = {{LoadPart(part, sums + r * kColumns)}};
    Land<1, 1>(finish,
               {.y = y,
                .at = (row + r) * p.y_m + column,
                .row_step = p.y_m,
                .rows = 1,
                .columns = kColumns,
                .bias = bias == nullptr ? nullptr : bias + row + r,
                .channel = row + r,
                .channel_step = 1},
               sum);
  }
}

template <class W>
void Tile(const Product& p, const W* w, const float* packed, const float* bias, float* y,
          std::int64_t begin, std::int64_t end, const Finish* finish) {
  HWY_ALIGN float wide[kTileRows * kDepth] = {};
  HWY_ALIGN float sums[kTileRows * kTileColumns];
  Finish plain;
  plain.rounds = p.rounds;
  if (finish == nullptr && p.y_n == 1) finish = &plain;
  const std::int64_t split = SplitColumns(p);
  const std::int64_t whole = p.n - split;
  for (std::int64_t piece = begin; piece < end; ++piece) {
    const std::int64_t row = piece * kTileRows;
    const std::int64_t rows = HWY_MIN(kTileRows, p.m - row);
    for (std::int64_t column = 0; column < whole; column += kTileColumns) {
      const std::int64_t columns = HWY_MIN(kTileColumns, whole - column);
      TileSums(p, w, packed, row, rows, column, columns, wide, sums, bias, y, finish);
      if (finish != nullptr) continue;
      p.rounds ? TileOut<true>(p, sums, bias, y, row, rows, column, columns)
               : TileOut<false>(p, sums, bias, y, row, rows, column, columns);
    }
    switch (split) {
      case 1:
        SplitRows<1>(p, w, packed, bias, y, row, rows, *finish);
        break;
      case 2:
        SplitRows<2>(p, w, packed, bias, y, row, rows, *finish);
        break;
      case 3:
        SplitRows<3>(p, w, packed, bias, y, row, rows, *finish);
        break;
      case 4:
        SplitRows<4>(p, w, packed, bias, y, row, rows, *finish);
        break;
      default:
        break;
    }
  }
}

void RunTile(const Product& p, const void* w, const void* x, const float* bias, float* y,
             std::int64_t begin, std::int64_t end, const Finish* finish) {
  const float* packed = static_cast<const float*>(x);
  p.w_stored == DType::kF16
      ? Tile(p, static_cast<const std::uint16_t*>(w), packed, bias, y, begin, end, finish)
      : Tile(p, static_cast<const float*>(w), packed, bias, y, begin, end, finish);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anemone::engine {

HWY_EXPORT(PackColumns);
HWY_EXPORT(PackPanels);
HWY_EXPORT(RunDot);
HWY_EXPORT(RunAxpy);
HWY_EXPORT(RunTile);

ProductPlan::ProductPlan(const Product& product) : product_(product) {
  const Product& p = product_;
  const bool along_k = p.x_k == 1 || p.k <= 1;
  const bool along_n = p.x_n == 1 || p.n <= 1;
  if (p.n <= kMaxDotColumns && !(along_n && p.n > 1 && p.m <= kMaxAxpyRows)) {
    method_ = Method::kDot;
    if (p.x_stored != DType::kF32 || !along_k) pack_ = &HWY_DYNAMIC_DISPATCH(PackColumns);
    run_ = &HWY_DYNAMIC_DISPATCH(RunDot);
  } else if (p.m <= kMaxAxpyRows && along_n) {
    method_ = Method::kAxpy;
    run_ = &HWY_DYNAMIC_DISPATCH(RunAxpy);
  } else {
    method_ = Method::kTile;
    pack_ = &HWY_DYNAMIC_DISPATCH(PackPanels);
    run_ = &HWY_DYNAMIC_DISPATCH(RunTile);
  }
}

ProductPlan ProductPlan::narrowed(std::int64_t m, std::int64_t n, std::int64_t k) const {
  ProductPlan plan = *this;
  plan.product_.m = m;
  plan.product_.n = n;
  plan.product_.k = k;
  return plan;
}

std::optional<std::int64_t> ProductPlan::piece_rows() const {
  if (method_ == Method::kAxpy) return std::nullopt;
  return method_ == Method::kDot ? kDotRows : kTileRows;
}

std::string_view ProductPlan::method() const {
  return method_ == Method::kDot ? "dot" : method_ == Method::kAxpy ? "axpy" : "tile";
}

std::size_t ProductPlan::scratch_bytes() const {
  if (pack_ == nullptr) return 0;
  const std::int64_t columns =
      method_ == Method::kTile ? (product_.n + kMaxLanes - 1) / kMaxLanes * kMaxLanes : product_.n;
  return (static_cast<std::size_t>(columns * product_.k) * sizeof(float) + 63) / 64 * 64;
}

std::int64_t ProductPlan::pack_pieces() const {
  return pack_ == nullptr ? 0 : (product_.k + kPackStep - 1) / kPackStep;
}

std::int64_t ProductPlan::pieces() const {
  const auto over = [](std::int64_t count, std::int64_t size) { return (count + size - 1) / size; };
  switch (method_) {
    case Method::kDot:
      return over(product_.m, kDotRows);
    case Method::kAxpy:
      return over(product_.n, kAxpyColumns);
    case Method::kTile:
      return over(product_.m, kTileRows);
  }
  return 0;
}

std::int64_t ProductPlan::piece_cost() const {
  const Product& p = product_;
  return p.k * (method_ == Method::kDot    ? kDotRows * p.n
                : method_ == Method::kAxpy ? p.m * kAxpyColumns
                                           : kTileRows * p.n);
}

void ProductPlan::pack(const void* x, std::byte* scratch, std::int64_t begin,
                       std::int64_t end) const noexcept {
  if (pack_ != nullptr) pack_(product_, x, reinterpret_cast<float*>(scratch), begin, end);
}

void ProductPlan::run(const void* w, const void* x, const std::byte* scratch, const float* bias,
                      float* y, std::int64_t begin, std::int64_t end,
                      const Finish* finish) const noexcept {
  run_(product_, w, pack_ == nullptr ? x : scratch, bias, y, begin, end, finish);
}

}  // namespace anemone::engine
#endif  // HWY_ONCE
