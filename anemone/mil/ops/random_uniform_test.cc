#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::random_uniform_test {

TEST(RandomUniform, DrawsEvenlyAndAgainTheSame) {
  const Try it =
      Try("random_uniform").with("shape", i32({2}, {100, 100})).with("low", 2.0).with("high", 6.0);
  const Tensor y = Try(it).with("seed", 7).value();
  double sum = 0;
  double squares = 0;
  for (const double value : y.to_doubles()) {
    EXPECT_GE(value, 2);
    EXPECT_LE(value, 6);
    sum += value / 1e4;
    squares += (value - 4) * (value - 4) / 1e4;
  }
  EXPECT_NEAR(sum, 4, 0.05);
  EXPECT_NEAR(squares, 16.0 / 12, 0.05);
  EXPECT_EQ(Try(it).with("seed", 7).value(), y);
  EXPECT_FALSE(Try(it).with("seed", 8).value() == y);
  EXPECT_EQ(find_op("random_uniform")->effect, Effect::kRandom);
}

TEST(RandomUniform, TakesTheBoundsDtypeAndRefusesNegativeExtents) {
  EXPECT_EQ(Try("random_uniform").with("shape", i32_type({2})).with("low", f16({}, {0})).type(),
            f16_type({kUnknown, kUnknown}));
  EXPECT_FALSE(Try("random_uniform").with("shape", i32_type({kUnknown})).type().has_rank);
  EXPECT_EQ(Try("random_uniform").with("shape", i32({1}, {-2})).refusal(),
            "op 'it' (random_uniform): parameter 'shape' holds -2");
}

}  // namespace anemone::mil::op::random_uniform_test
