#include "anemone/oracle/product.h"

#include <algorithm>
#include <cmath>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "anemone/oracle/product.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
//
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace anemone::oracle {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;

constexpr std::int64_t kDepthBlock = 256;
constexpr std::int64_t kRowBlock = 6;

HWY_ATTR std::int64_t panel_width() { return static_cast<std::int64_t>(2 * hn::Lanes(Floats())); }

// [width, depth] row by row to [depth, width]; rows from `count` on are zeros.
template <typename T>
HWY_ATTR HWY_INLINE void pack_as(const float* HWY_RESTRICT from, std::int64_t count,
                                 std::int64_t depth, T* HWY_RESTRICT to) {
  const std::int64_t width = panel_width();
  for (std::int64_t begin = 0; begin < depth; begin += 16) {
    const std::int64_t end = std::min(begin + 16, depth);
    for (std::int64_t o = 0; o < width; ++o) {
      for (std::int64_t d = begin; d < end; ++d) {
        to[d * width + o] = o < count ? static_cast<T>(from[o * depth + d]) : T{0};
      }
    }
  }
}

template <int kRows, typename T>
HWY_ATTR HWY_INLINE void tile(const T* HWY_RESTRICT x, std::int64_t depth, std::int64_t begin,
                              std::int64_t end, const T* HWY_RESTRICT packed, T* HWY_RESTRICT y) {
  const hn::ScalableTag<T> df;
  using V = hn::Vec<decltype(df)>;
  const std::size_t lanes = hn::Lanes(df);
  const auto width = static_cast<std::size_t>(panel_width());
  for (std::size_t column = 0; column < width; column += 2 * lanes) {
    V low[kRows], high[kRows];
    for (int r = 0; r < kRows; ++r) low[r] = high[r] = hn::Zero(df);
    for (std::int64_t d = begin; d < end; ++d) {
      const T* at = packed + static_cast<std::size_t>(d) * width + column;
      const auto w0 = hn::LoadU(df, at);
      const auto w1 = hn::LoadU(df, at + lanes);
      for (int r = 0; r < kRows; ++r) {
        const auto value = hn::Set(df, x[r * depth + d]);
        low[r] = hn::MulAdd(value, w0, low[r]);
        high[r] = hn::MulAdd(value, w1, high[r]);
      }
    }
    for (int r = 0; r < kRows; ++r) {
      T* at = y + static_cast<std::size_t>(r) * width + column;
      hn::StoreU(hn::Add(hn::LoadU(df, at), low[r]), df, at);
      hn::StoreU(hn::Add(hn::LoadU(df, at + lanes), high[r]), df, at + lanes);
    }
  }
}

// y: [rows, width], zeros at first.
template <typename T>
HWY_ATTR HWY_INLINE void panel_of(const T* x, std::int64_t rows, std::int64_t depth,
                                  const T* packed, T* y) {
  const std::int64_t width = panel_width();
  for (std::int64_t begin = 0; begin < depth; begin += kDepthBlock) {
    const std::int64_t end = std::min(begin + kDepthBlock, depth);
    std::int64_t r = 0;
    for (; r + kRowBlock <= rows; r += kRowBlock) {
      tile<kRowBlock>(x + r * depth, depth, begin, end, packed, y + r * width);
    }
    for (; r < rows; ++r) tile<1>(x + r * depth, depth, begin, end, packed, y + r * width);
  }
}

HWY_ATTR void pack(const float* from, std::int64_t count, std::int64_t depth, float* to) {
  pack_as(from, count, depth, to);
}
HWY_ATTR void pack_wide(const float* from, std::int64_t count, std::int64_t depth, double* to) {
  pack_as(from, count, depth, to);
}
HWY_ATTR void panel(const float* x, std::int64_t rows, std::int64_t depth, const float* packed,
                    float* y) {
  panel_of(x, rows, depth, packed, y);
}
// Sums in double, into which a product of floats goes without rounding: whether a processor fuses
// the two operations makes no difference.
HWY_ATTR void panel_wide(const double* x, std::int64_t rows, std::int64_t depth,
                         const double* packed, double* y) {
  panel_of(x, rows, depth, packed, y);
}

constexpr std::int64_t kQueryBlock = 4;

// Rows [first, first + count) of one query head, count at most kQueryBlock. keys: [D, n], values:
// [n, D]; weights: [kQueryBlock, n] of scratch.
HWY_ATTR void attend_rows(const Attention& a, std::int64_t head, std::int64_t first,
                          std::int64_t count, const float* HWY_RESTRICT keys,
                          const float* HWY_RESTRICT values, float* HWY_RESTRICT weights) {
  const std::int64_t n = a.rows;
  const std::int64_t d = a.head_dim;
  const std::int64_t seen = first + count;  // keys that any of the rows sees
  const float scale = 1.0f / std::sqrt(static_cast<float>(d));
  float* HWY_RESTRICT w0 = weights;
  float* HWY_RESTRICT w1 = weights + n;
  float* HWY_RESTRICT w2 = weights + 2 * n;
  float* HWY_RESTRICT w3 = weights + 3 * n;
  std::fill(weights, weights + kQueryBlock * n, 0.0f);
  const float* q[kQueryBlock];
  for (std::int64_t r = 0; r < kQueryBlock; ++r) {
    q[r] = a.q + ((first + std::min(r, count - 1)) * a.heads + head) * d;
  }
  for (std::int64_t i = 0; i < d; ++i) {
    const float q0 = q[0][i] * scale, q1 = q[1][i] * scale, q2 = q[2][i] * scale,
                q3 = q[3][i] * scale;
    const float* HWY_RESTRICT key = keys + i * n;
    for (std::int64_t j = 0; j < seen; ++j) {
      w0[j] += q0 * key[j];
      w1[j] += q1 * key[j];
      w2[j] += q2 * key[j];
      w3[j] += q3 * key[j];
    }
  }
  float out[kQueryBlock][8];
  for (std::int64_t r = 0; r < count; ++r) {
    float* w = weights + r * n;
    const std::int64_t end = first + r + 1;
    const std::int64_t begin = a.first_seen(first + r);
    const std::int64_t zeros = a.zeros_seen(first + r);
    float top = zeros > 0 ? 0.0f : w[begin];
    for (std::int64_t j = begin; j < end; ++j) top = std::max(top, w[j]);
    double sum = static_cast<double>(zeros) * std::exp(-static_cast<double>(top));
    std::fill(w, w + begin, 0.0f);
    for (std::int64_t j = begin; j < end; ++j) {
      w[j] = std::exp(w[j] - top);
      sum += w[j];
    }
    const auto inverse = static_cast<float>(1 / sum);
    for (std::int64_t j = begin; j < end; ++j) w[j] *= inverse;
    for (std::int64_t j = end; j < seen; ++j) w[j] = 0;
  }
  for (std::int64_t begin = 0; begin < d; begin += 8) {
    const std::int64_t width = std::min<std::int64_t>(8, d - begin);
    for (auto& row : out) std::fill(row, row + 8, 0.0f);
    if (width == 8) {
      for (std::int64_t j = 0; j < seen; ++j) {
        const float* HWY_RESTRICT value = values + j * d + begin;
        for (int i = 0; i < 8; ++i) {
          out[0][i] += w0[j] * value[i];
          out[1][i] += w1[j] * value[i];
          out[2][i] += w2[j] * value[i];
          out[3][i] += w3[j] * value[i];
        }
      }
    } else {
      for (std::int64_t j = 0; j < seen; ++j) {
        for (std::int64_t i = 0; i < width; ++i) {
          const float value = values[j * d + begin + i];
          out[0][i] += w0[j] * value;
          out[1][i] += w1[j] * value;
          out[2][i] += w2[j] * value;
          out[3][i] += w3[j] * value;
        }
      }
    }
    for (std::int64_t r = 0; r < count; ++r) {
      float* y = a.y + ((first + r) * a.heads + head) * d + begin;
      std::copy(out[r], out[r] + width, y);
    }
  }
}

HWY_ATTR void round_all(float* values, std::size_t count) {
  const Floats df;
  const hn::RebindToSigned<Floats> di;
  const std::size_t lanes = hn::Lanes(df);
  const auto round = [&](hn::Vec<Floats> v) HWY_ATTR {
    const auto bits = hn::BitCast(di, v);
    const auto magnitude = hn::And(bits, hn::Set(di, 0x7fffffff));
    const auto sign = hn::Xor(bits, magnitude);
    const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(di, 1));
    const auto normal = hn::And(hn::Add(hn::Add(magnitude, hn::Set(di, 0xfff)), odd),
                                hn::Set(di, ~std::int32_t{0x1fff}));
    // The last bit of a float from 0.5 to 1 is 2^-24, the least that binary16 holds.
    const auto half = hn::Set(df, 0.5f);
    const auto small = hn::BitCast(di, hn::Sub(hn::Add(hn::BitCast(df, magnitude), half), half));
    auto made = hn::IfThenElse(hn::Lt(magnitude, hn::Set(di, 0x38800000)), small, normal);
    made =
        hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x477fefff)), hn::Set(di, 0x7f800000), made);
    made = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x7f800000)), magnitude, made);
    return hn::BitCast(df, hn::Or(made, sign));
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(round(hn::LoadU(df, values + i)), df, values + i);
  }
  if (i == count) return;
  float rest[HWY_MAX_BYTES / sizeof(float)] = {};
  std::copy(values + i, values + count, rest);
  hn::StoreU(round(hn::LoadU(df, rest)), df, rest);
  std::copy(rest, rest + (count - i), values + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace anemone::oracle
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anemone::oracle {

HWY_EXPORT(panel_width);
HWY_EXPORT(pack);
HWY_EXPORT(pack_wide);
HWY_EXPORT(panel);
HWY_EXPORT(panel_wide);
HWY_EXPORT(attend_rows);
HWY_EXPORT(round_all);

namespace {

template <typename T>
using Pack = void (*)(const float*, std::int64_t, std::int64_t, T*);
template <typename T>
using Panel = void (*)(const T*, std::int64_t, std::int64_t, const T*, T*);

template <typename T>
void multiply_as(ThreadPool& pool, const Product& p, const T* x, const WeightRows& weights,
                 Pack<T> pack, Panel<T> panel) {
  const std::int64_t width = HWY_DYNAMIC_DISPATCH(panel_width)();
  const std::int64_t panels = (p.outputs + width - 1) / width;
  struct Scratch {
    std::vector<float> decoded;
    std::vector<T> packed, y;
  };
  std::vector<Scratch> scratch(static_cast<std::size_t>(pool.threads()));
  pool.parallel_for(panels, 1, [&](std::int64_t begin, std::int64_t end, int thread) {
    Scratch& s = scratch[static_cast<std::size_t>(thread)];
    s.decoded.resize(static_cast<std::size_t>(width * p.depth));
    s.packed.resize(static_cast<std::size_t>(width * p.depth));
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = i * width;
      const std::int64_t count = std::min(width, p.outputs - first);
      weights(first, std::span(s.decoded).first(static_cast<std::size_t>(count * p.depth)));
      pack(s.decoded.data(), count, p.depth, s.packed.data());
      s.y.assign(static_cast<std::size_t>(p.rows * width), T{0});
      panel(x, p.rows, p.depth, s.packed.data(), s.y.data());
      for (std::int64_t r = 0; r < p.rows; ++r) {
        const T* from = s.y.data() + r * width;
        float* to = p.y + r * p.outputs + first;
        for (std::int64_t o = 0; o < count; ++o) {
          to[o] = static_cast<float>(from[o]) + (p.bias ? p.bias[first + o] : 0.0f);
        }
      }
    }
  });
}

}  // namespace

void multiply(ThreadPool& pool, const Product& p, const WeightRows& weights) {
  if (!p.in_double) {
    return multiply_as<float>(
        pool, p, p.x, weights,
        [](auto... of) {
          HWY_DYNAMIC_DISPATCH(pack)
          (of...);
        },
        [](auto... of) {
          HWY_DYNAMIC_DISPATCH(panel)
          (of...);
        });
  }
  const std::vector<double> x(p.x, p.x + p.rows * p.depth);
  multiply_as<double>(
      pool, p, x.data(), weights,
      [](auto... of) {
        HWY_DYNAMIC_DISPATCH(pack_wide)
        (of...);
      },
      [](auto... of) {
        HWY_DYNAMIC_DISPATCH(panel_wide)
        (of...);
      });
}

namespace {

// One row of one head, sums in double. `weights`: room for a.rows numbers.
void attend_row_in_double(const Attention& a, std::int64_t row, std::int64_t head,
                          std::span<double> weights) {
  const std::int64_t d = a.head_dim, kv = head / (a.heads / a.kv_heads);
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  const float* q = a.q + (row * a.heads + head) * d;
  const std::int64_t begin = a.first_seen(row), zeros = a.zeros_seen(row);
  double top = zeros > 0 ? 0 : -INFINITY;
  for (std::int64_t j = begin; j <= row; ++j) {
    const float* k = a.k + (j * a.kv_heads + kv) * d;
    double sum = 0;
    for (std::int64_t i = 0; i < d; ++i) sum += static_cast<double>(q[i]) * k[i];
    weights[static_cast<std::size_t>(j)] = sum * scale;
    top = std::max(top, sum * scale);
  }
  double total = static_cast<double>(zeros) * std::exp(-top);
  for (std::int64_t j = begin; j <= row; ++j) {
    double& w = weights[static_cast<std::size_t>(j)];
    // As a float, so that the product below is exact.
    w = static_cast<float>(std::exp(w - top));
    total += w;
  }
  for (std::int64_t i = 0; i < d; ++i) {
    double sum = 0;
    for (std::int64_t j = begin; j <= row; ++j) {
      sum += weights[static_cast<std::size_t>(j)] *
             static_cast<double>(a.v[(j * a.kv_heads + kv) * d + i]);
    }
    a.y[(row * a.heads + head) * d + i] = static_cast<float>(sum / total);
  }
}

void attend_in_double(ThreadPool& pool, const Attention& a) {
  pool.parallel_for(a.rows * a.heads, 8, [&](std::int64_t begin, std::int64_t end, int) {
    std::vector<double> weights(static_cast<std::size_t>(a.rows));
    for (std::int64_t i = begin; i < end; ++i) {
      attend_row_in_double(a, i / a.heads, i % a.heads, weights);
    }
  });
}

}  // namespace

void attend(ThreadPool& pool, const Attention& a) {
  if (a.in_double) return attend_in_double(pool, a);
  const std::int64_t group = a.heads / a.kv_heads;
  const std::int64_t n = a.rows;
  const std::int64_t d = a.head_dim;
  struct Scratch {
    std::vector<float> keys, values, weights;
  };
  std::vector<Scratch> scratch(static_cast<std::size_t>(pool.threads()));
  pool.parallel_for(a.kv_heads, 1, [&](std::int64_t begin, std::int64_t end, int thread) {
    Scratch& s = scratch[static_cast<std::size_t>(thread)];
    s.keys.resize(static_cast<std::size_t>(n * d));
    s.values.resize(static_cast<std::size_t>(n * d));
    s.weights.resize(static_cast<std::size_t>(HWY_STATIC_DISPATCH(kQueryBlock) * n));
    for (std::int64_t kv = begin; kv < end; ++kv) {
      for (std::int64_t j = 0; j < n; ++j) {
        const float* k = a.k + (j * a.kv_heads + kv) * d;
        const float* v = a.v + (j * a.kv_heads + kv) * d;
        for (std::int64_t i = 0; i < d; ++i) s.keys[static_cast<std::size_t>(i * n + j)] = k[i];
        std::copy(v, v + d, s.values.begin() + j * d);
      }
      for (std::int64_t head = kv * group; head < (kv + 1) * group; ++head) {
        constexpr std::int64_t kBlock = HWY_STATIC_DISPATCH(kQueryBlock);
        for (std::int64_t first = 0; first < n; first += kBlock) {
          HWY_DYNAMIC_DISPATCH(attend_rows)
          (a, head, first, std::min(kBlock, n - first), s.keys.data(), s.values.data(),
           s.weights.data());
        }
      }
    }
  });
}

void round_to_f16(std::span<float> values) {
  HWY_DYNAMIC_DISPATCH(round_all)(values.data(), values.size());
}

}  // namespace anemone::oracle
#endif
