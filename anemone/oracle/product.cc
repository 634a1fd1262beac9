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
HWY_ATTR void pack(const float* HWY_RESTRICT from, std::int64_t count, std::int64_t depth,
                   float* HWY_RESTRICT to) {
  const std::int64_t width = panel_width();
  for (std::int64_t begin = 0; begin < depth; begin += 16) {
    const std::int64_t end = std::min(begin + 16, depth);
    for (std::int64_t o = 0; o < width; ++o) {
      for (std::int64_t d = begin; d < end; ++d) {
        to[d * width + o] = o < count ? from[o * depth + d] : 0.0f;
      }
    }
  }
}

template <int kRows>
HWY_ATTR HWY_INLINE void tile(const float* HWY_RESTRICT x, std::int64_t depth, std::int64_t begin,
                              std::int64_t end, const float* HWY_RESTRICT packed,
                              float* HWY_RESTRICT y) {
  const Floats df;
  const std::size_t lanes = hn::Lanes(df);
  const std::size_t width = 2 * lanes;
  hn::Vec<Floats> low[kRows], high[kRows];
  for (int r = 0; r < kRows; ++r) low[r] = high[r] = hn::Zero(df);
  for (std::int64_t d = begin; d < end; ++d) {
    const auto w0 = hn::LoadU(df, packed + static_cast<std::size_t>(d) * width);
    const auto w1 = hn::LoadU(df, packed + static_cast<std::size_t>(d) * width + lanes);
    for (int r = 0; r < kRows; ++r) {
      const auto value = hn::Set(df, x[r * depth + d]);
      low[r] = hn::MulAdd(value, w0, low[r]);
      high[r] = hn::MulAdd(value, w1, high[r]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    float* at = y + static_cast<std::size_t>(r) * width;
    hn::StoreU(hn::Add(hn::LoadU(df, at), low[r]), df, at);
    hn::StoreU(hn::Add(hn::LoadU(df, at + lanes), high[r]), df, at + lanes);
  }
}

// y: [rows, width], zeros at first.
HWY_ATTR void panel(const float* x, std::int64_t rows, std::int64_t depth, const float* packed,
                    float* y) {
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
    float top = a.zeros > 0 ? 0.0f : w[0];
    for (std::int64_t j = 0; j < end; ++j) top = std::max(top, w[j]);
    double sum = static_cast<double>(a.zeros) * std::exp(-static_cast<double>(top));
    for (std::int64_t j = 0; j < end; ++j) {
      w[j] = std::exp(w[j] - top);
      sum += w[j];
    }
    const auto inverse = static_cast<float>(1 / sum);
    for (std::int64_t j = 0; j < end; ++j) w[j] *= inverse;
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
HWY_EXPORT(panel);
HWY_EXPORT(attend_rows);
HWY_EXPORT(round_all);

void multiply(ThreadPool& pool, const Product& p, const WeightRows& weights) {
  const std::int64_t width = HWY_DYNAMIC_DISPATCH(panel_width)();
  const std::int64_t panels = (p.outputs + width - 1) / width;
  struct Scratch {
    std::vector<float> decoded, packed, y;
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
      HWY_DYNAMIC_DISPATCH(pack)(s.decoded.data(), count, p.depth, s.packed.data());
      s.y.assign(static_cast<std::size_t>(p.rows * width), 0.0f);
      HWY_DYNAMIC_DISPATCH(panel)(p.x, p.rows, p.depth, s.packed.data(), s.y.data());
      for (std::int64_t r = 0; r < p.rows; ++r) {
        const float* from = s.y.data() + r * width;
        float* to = p.y + r * p.outputs + first;
        for (std::int64_t o = 0; o < count; ++o) {
          to[o] = from[o] + (p.bias ? p.bias[first + o] : 0.0f);
        }
      }
    }
  });
}

void attend(ThreadPool& pool, const Attention& a) {
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
