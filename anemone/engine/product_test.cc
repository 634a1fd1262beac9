#include "anemone/engine/product.h"

#include <gtest/gtest.h>

#include <random>

#include "anemone/base/half.h"
#include "anemone/engine/target.h"

namespace anemone::engine {
namespace {

struct Case {
  std::int64_t m, n, k;
  DType w = DType::kF16, x = DType::kF32;
  bool x_along_k = false, y_turned = false, has_bias = false, rounds = false, may_split = false;
};

// Sums of k products of numbers in [-1, 1): k roundings of partial sums that reach some ten units,
// 2^-24 of each, most of which cancel.
double allowed(std::int64_t k) { return 0x1p-23 * static_cast<double>(k) + 0x1p-22; }

void check(const Case& c) {
  std::mt19937 generator(static_cast<unsigned>(c.m * 1000 + c.n * 100 + c.k));
  std::uniform_real_distribution<float> spread(-1, 1);
  const auto fill = [&](std::int64_t count, DType stored, std::vector<float>& values) {
    std::vector<std::uint16_t> halves;
    values.resize(static_cast<std::size_t>(count));
    for (float& value : values) {
      value = spread(generator);
      if (stored == DType::kF16) {
        value = round_to_f16(value);
        halves.push_back(to_f16(value).bits);
      }
    }
    return halves;
  };
  // Rows of w and x lie a little further apart than they are long.
  Product p;
  p.m = c.m;
  p.n = c.n;
  p.k = c.k;
  p.w_stored = c.w;
  p.w_row = c.k + 3;
  p.x_stored = c.x;
  p.x_k = c.x_along_k ? 1 : c.n + 2;
  p.x_n = c.x_along_k ? c.k + 2 : 1;
  p.y_m = c.y_turned ? 1 : c.n + 1;
  p.y_n = c.y_turned ? c.m + 1 : 1;
  p.has_bias = c.has_bias;
  p.rounds = c.rounds;
  p.may_split = c.may_split;
  std::vector<float> w, x, bias;
  const auto w_halves = fill(c.m * p.w_row, c.w, w);
  const auto x_halves = fill(c.k * p.x_k + c.n * p.x_n, c.x, x);
  fill(c.m, DType::kF32, bias);
  const void* w_data = c.w == DType::kF16 ? static_cast<const void*>(w_halves.data()) : w.data();
  const void* x_data = c.x == DType::kF16 ? static_cast<const void*>(x_halves.data()) : x.data();
  const ProductPlan plan(p);
  std::vector<std::byte> scratch(plan.scratch_bytes() + 64);
  auto* aligned = reinterpret_cast<std::byte*>(
      (reinterpret_cast<std::uintptr_t>(scratch.data()) + 63) / 64 * 64);
  const auto y_count = static_cast<std::size_t>(c.m * p.y_m + c.n * p.y_n);
  std::vector<float> whole(y_count, 99), pieces(y_count, 99);
  plan.pack(x_data, aligned, 0, plan.pack_pieces());
  plan.run(w_data, x_data, aligned, c.has_bias ? bias.data() : nullptr, whole.data(), 0,
           plan.pieces());
  for (std::int64_t i = plan.pack_pieces(); i-- > 0;) plan.pack(x_data, aligned, i, i + 1);
  for (std::int64_t i = plan.pieces(); i-- > 0;) {
    plan.run(w_data, x_data, aligned, c.has_bias ? bias.data() : nullptr, pieces.data(), i, i + 1);
  }
  const std::string what = std::string(plan.method()) + " " + std::to_string(c.m) + "x" +
                           std::to_string(c.n) + "x" + std::to_string(c.k) + " on " +
                           std::string(target_name());
  ASSERT_EQ(whole, pieces) << what << ": pieces change bits";
  std::size_t written = 0;
  for (std::int64_t m = 0; m < c.m; ++m) {
    for (std::int64_t n = 0; n < c.n; ++n) {
      double expected = c.has_bias ? bias[static_cast<std::size_t>(m)] : 0;
      for (std::int64_t k = 0; k < c.k; ++k) {
        expected += static_cast<double>(w[static_cast<std::size_t>(m * p.w_row + k)]) *
                    x[static_cast<std::size_t>(k * p.x_k + n * p.x_n)];
      }
      const double actual = whole[static_cast<std::size_t>(m * p.y_m + n * p.y_n)];
      const double rounding = c.rounds ? std::abs(expected) * 0x1p-11 : 0;
      ASSERT_NEAR(actual, expected, allowed(c.k) + rounding) << what << " at " << m << ", " << n;
      if (c.rounds) {
        ASSERT_EQ(actual, round_to_f16(static_cast<float>(actual)));
      }
      ++written;
    }
  }
  // Nothing else was touched.
  const auto untouched = std::count(whole.begin(), whole.end(), 99.0f);
  ASSERT_EQ(static_cast<std::size_t>(untouched), y_count - written) << what;
}

TEST(Product, GivesEveryElementByEveryTarget) {
  for (const std::string& target : supported_targets()) {
    set_target_for_test(target);
    for (const std::int64_t k : {1, 2, 15, 16, 17, 63, 130, 300}) {
      for (const std::int64_t n : {1, 2, 3, 5, 8, 9, 16, 17, 48, 64, 65, 129}) {
        for (const std::int64_t m : {1, 4, 7, 24, 31}) {
          Case c{m, n, k};
          c.w = (m + n) % 2 == 0 ? DType::kF16 : DType::kF32;
          c.x = (m + k) % 3 == 0 ? DType::kF16 : DType::kF32;
          c.x_along_k = (n + k) % 2 == 0;
          c.y_turned = (m + n + k) % 2 == 0;
          c.has_bias = m % 3 == 0;
          c.rounds = n % 3 == 0;
          check(c);
        }
      }
    }
  }
  set_target_for_test("");
}

TEST(Product, SplitsOffColumnsThatWouldFillLittleOfAVector) {
  for (const std::string& target : supported_targets()) {
    set_target_for_test(target);
    for (const std::int64_t k : {15, 300}) {
      for (const std::int64_t n : {16, 17, 18, 20, 21, 49, 131}) {
        for (const std::int64_t m : {9, 30}) {
          Case c{m, n, k};
          c.w = m % 2 == 0 ? DType::kF16 : DType::kF32;
          c.x = n % 2 == 0 ? DType::kF16 : DType::kF32;
          c.x_along_k = k % 2 == 0;
          c.has_bias = n % 3 == 0;
          c.rounds = n % 5 == 0;
          c.may_split = true;
          check(c);
        }
      }
    }
  }
  set_target_for_test("");
}

TEST(Product, ChoosesAMethodByItsShape) {
  Product p;
  p.m = 100;
  p.k = 50;
  p.w_row = 50;
  p.x_k = 1;
  p.x_n = 50;
  p.n = 1;
  EXPECT_EQ(ProductPlan(p).method(), "dot");
  EXPECT_EQ(ProductPlan(p).scratch_bytes(), 0u);
  p.n = 64;
  EXPECT_EQ(ProductPlan(p).method(), "tile");
  p.m = 2;
  p.x_k = 64;
  p.x_n = 1;
  EXPECT_EQ(ProductPlan(p).method(), "axpy");
}

}  // namespace
}  // namespace anemone::engine
