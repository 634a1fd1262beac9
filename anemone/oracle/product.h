#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "anemone/base/thread_pool.h"

// The oracle's own loops, shared with nothing: products of matrices, attention, rounding.
namespace anemone::oracle {

// Puts rows [first, first + out.size() / depth) of a matrix [outputs, depth] into `out`. Called on
// several threads.
using WeightRows = std::function<void(std::int64_t first, std::span<float> out)>;

// y[r, o] = sum over d of x[r, d] * w[o, d], plus bias[o] if there is a bias. Every sum runs over d
// upwards in blocks of 256, whatever the number of rows or threads.
struct Product {
  std::int64_t rows = 0;
  std::int64_t depth = 0;
  std::int64_t outputs = 0;
  const float* x = nullptr;
  const float* bias = nullptr;
  float* y = nullptr;
  bool in_double = false;  // sums in double, whose bits are the same on every processor
};
void multiply(ThreadPool& pool, const Product& product, const WeightRows& weights);

// Causal attention of one sequence. q: [rows, heads, D], k and v: [rows, kv_heads, D], y as q. Row
// r sees keys 0 ... r, and before them `zeros` keys and values of zeros.
struct Attention {
  std::int64_t rows = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t zeros = 0;
  std::int64_t window = 0;  // above 0: of all those, a row sees itself and the last window - 1
  const float* q = nullptr;
  const float* k = nullptr;
  const float* v = nullptr;
  float* y = nullptr;
  bool in_double = false;

  // The first row, and how many of the zeros before the rows, that a row sees.
  std::int64_t first_seen(std::int64_t row) const {
    return window > 0 && row >= window ? row - window + 1 : 0;
  }
  std::int64_t zeros_seen(std::int64_t row) const {
    if (window == 0) return zeros;
    const std::int64_t room = window - 1 - row;
    return room < 0 ? 0 : room < zeros ? room : zeros;
  }
};
void attend(ThreadPool& pool, const Attention& attention);

// Each value to the nearest that binary16 holds; as to_f16, overflow gives infinity.
void round_to_f16(std::span<float> values);

}  // namespace anemone::oracle
