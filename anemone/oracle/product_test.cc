#include "anemone/oracle/product.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <bit>
#include <random>

#include "anemone/base/half.h"

namespace anemone::oracle {
namespace {

// Under every SIMD target that was compiled and that this processor has.
template <typename Test>
void for_each_target(const Test& test) {
  int targets = 0;
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(target));
    test();
    ++targets;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  ASSERT_GT(targets, 0);
}

std::vector<float> random_values(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = normal(random);
  return values;
}

TEST(Multiply, EqualsSumsInDoubleAtEveryEdge) {
  struct Case {
    std::int64_t rows, depth, outputs;
    bool biased;
  };
  for (const Case& c : {Case{1, 1, 1, true}, Case{5, 31, 33, false}, Case{6, 256, 32, true},
                        Case{7, 257, 31, true}, Case{13, 600, 65, false}}) {
    const auto x = random_values(c.rows * c.depth, 1);
    const auto w = random_values(c.outputs * c.depth, 2);
    const auto bias = random_values(c.outputs, 3);
    for_each_target([&] {
      for (const int threads : {1, 2}) {
        ThreadPool pool(threads);
        std::vector<float> y(static_cast<std::size_t>(c.rows * c.outputs), NAN);
        multiply(pool,
                 {.rows = c.rows,
                  .depth = c.depth,
                  .outputs = c.outputs,
                  .x = x.data(),
                  .bias = c.biased ? bias.data() : nullptr,
                  .y = y.data()},
                 [&](std::int64_t first, std::span<float> out) {
                   std::copy_n(w.begin() + first * c.depth, out.size(), out.begin());
                 });
        for (std::int64_t r = 0; r < c.rows; ++r) {
          for (std::int64_t o = 0; o < c.outputs; ++o) {
            double sum = c.biased ? bias[static_cast<std::size_t>(o)] : 0;
            double size = std::abs(sum);
            for (std::int64_t d = 0; d < c.depth; ++d) {
              const double term =
                  static_cast<double>(x[static_cast<std::size_t>(r * c.depth + d)]) *
                  w[static_cast<std::size_t>(o * c.depth + d)];
              sum += term;
              size += std::abs(term);
            }
            // A chain of at most 256 additions, each off by half a unit of a partial sum.
            ASSERT_NEAR(y[static_cast<std::size_t>(r * c.outputs + o)], sum, size * 256 * 6e-8);
          }
        }
      }
    });
  }
}

TEST(SumsInDouble, HaveTheSameBitsOnEveryTarget) {
  constexpr std::int64_t kRows = 13, kDepth = 300, kOutputs = 41, kHeads = 4, kHeadDim = 10;
  const auto x = random_values(kRows * kDepth, 1);
  const auto w = random_values(kOutputs * kDepth, 2);
  const auto q = random_values(kRows * kHeads * kHeadDim, 3);
  const auto kv = random_values(kRows * kHeadDim, 4);
  std::vector<float> first_y, first_mixed;
  for_each_target([&] {
    for (const int threads : {1, 3}) {
      ThreadPool pool(threads);
      std::vector<float> y(static_cast<std::size_t>(kRows * kOutputs), NAN);
      multiply(pool,
               {.rows = kRows,
                .depth = kDepth,
                .outputs = kOutputs,
                .x = x.data(),
                .y = y.data(),
                .in_double = true},
               [&](std::int64_t first, std::span<float> out) {
                 std::copy_n(w.begin() + first * kDepth, out.size(), out.begin());
               });
      for (std::int64_t r = 0; r < kRows; ++r) {
        for (std::int64_t o = 0; o < kOutputs; ++o) {
          double sum = 0;
          for (std::int64_t d = 0; d < kDepth; ++d) {
            sum += static_cast<double>(x[static_cast<std::size_t>(r * kDepth + d)]) *
                   w[static_cast<std::size_t>(o * kDepth + d)];
          }
          ASSERT_EQ(y[static_cast<std::size_t>(r * kOutputs + o)], static_cast<float>(sum));
        }
      }
      std::vector<float> mixed(q.size(), NAN), plain(q.size(), NAN);
      Attention attention{.rows = kRows,
                          .heads = kHeads,
                          .kv_heads = 1,
                          .head_dim = kHeadDim,
                          .zeros = 2,
                          .q = q.data(),
                          .k = kv.data(),
                          .v = kv.data(),
                          .y = mixed.data(),
                          .in_double = true};
      attend(pool, attention);
      attention.in_double = false;
      attention.y = plain.data();
      attend(pool, attention);
      for (std::size_t i = 0; i < mixed.size(); ++i) ASSERT_NEAR(mixed[i], plain[i], 1e-5);
      if (first_y.empty()) {
        first_y = y;
        first_mixed = mixed;
      }
      EXPECT_EQ(y, first_y);
      EXPECT_EQ(mixed, first_mixed);
    }
  });
}

TEST(Attend, EqualsSoftmaxInDouble) {
  struct Case {
    std::int64_t rows, heads, kv_heads, head_dim, zeros, window;
  };
  for (const Case& c : {Case{1, 1, 1, 2, 0, 0}, Case{9, 4, 2, 6, 0, 0}, Case{18, 6, 2, 16, 0, 0},
                        Case{7, 4, 1, 8, 30, 0}, Case{5, 2, 2, 10, 1, 0}, Case{18, 6, 2, 16, 0, 5},
                        Case{7, 4, 1, 8, 3, 6}, Case{7, 2, 1, 4, 9, 1}}) {
    const auto q = random_values(c.rows * c.heads * c.head_dim, 4);
    const auto k = random_values(c.rows * c.kv_heads * c.head_dim, 5);
    const auto v = random_values(c.rows * c.kv_heads * c.head_dim, 6);
    for_each_target([&] {
      ThreadPool pool(2);
      std::vector<float> y(q.size(), NAN);
      attend(pool, {c.rows, c.heads, c.kv_heads, c.head_dim, c.zeros, c.window, q.data(), k.data(),
                    v.data(), y.data()});
      for (std::int64_t r = 0; r < c.rows; ++r) {
        for (std::int64_t h = 0; h < c.heads; ++h) {
          const std::int64_t kv = h / (c.heads / c.kv_heads);
          const auto at = [&](const std::vector<float>& from, std::int64_t row, std::int64_t heads,
                              std::int64_t head, std::int64_t i) {
            return static_cast<double>(
                from[static_cast<std::size_t>((row * heads + head) * c.head_dim + i)]);
          };
          std::vector<double> weights;
          double sum = 0;
          const auto is_seen = [&](std::int64_t j) { return c.window == 0 || j > r - c.window; };
          for (std::int64_t j = -c.zeros; j < 0; ++j) sum += is_seen(j) ? 1 : 0;  // exp(0)
          for (std::int64_t j = 0; j <= r; ++j) {
            double dot = 0;
            for (std::int64_t i = 0; i < c.head_dim; ++i) {
              dot += at(q, r, c.heads, h, i) * at(k, j, c.kv_heads, kv, i);
            }
            weights.push_back(
                is_seen(j) ? std::exp(dot / std::sqrt(static_cast<double>(c.head_dim))) : 0.0);
            sum += weights.back();
          }
          for (std::int64_t i = 0; i < c.head_dim; ++i) {
            double wanted = 0;
            for (std::int64_t j = 0; j <= r; ++j) {
              wanted += weights[static_cast<std::size_t>(j)] / sum * at(v, j, c.kv_heads, kv, i);
            }
            ASSERT_NEAR(at(y, r, c.heads, h, i), wanted, 1e-5) << r << ' ' << h << ' ' << i;
          }
        }
      }
    });
  }
}

TEST(RoundToF16, IsToF16ForEveryKindOfValue) {
  std::vector<float> values;
  for (std::uint32_t high = 0; high < 65536; ++high) {
    for (const std::uint32_t low : {0u, 1u, 0x0fffu, 0x1000u, 0x1001u, 0x8000u, 0xffffu}) {
      values.push_back(std::bit_cast<float>(high << 16 | low));
    }
  }
  values.push_back(1.0f);  // so that the count is no multiple of any lane count
  for_each_target([&] {
    std::vector<float> rounded = values;
    round_to_f16(rounded);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) {
        ASSERT_TRUE(std::isnan(rounded[i]));
        continue;
      }
      ASSERT_EQ(std::bit_cast<std::uint32_t>(rounded[i]),
                std::bit_cast<std::uint32_t>(anemone::round_to_f16(values[i])))
          << values[i];
    }
  });
}

}  // namespace
}  // namespace anemone::oracle
