#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::random_normal_test {

TEST(RandomNormal, HasItsMeanAndDeviation) {
  const Tensor y = Try("random_normal")
                       .with("shape", i32({1}, {20000}))
                       .with("mean", 3.0)
                       .with("stddev", 2.0)
                       .with("seed", 1)
                       .value();
  double sum = 0;
  double squares = 0;
  double cubes = 0;
  for (const double value : y.to_doubles()) {
    sum += value / 2e4;
    squares += (value - 3) * (value - 3) / 2e4;
    cubes += (value - 3) * (value - 3) * (value - 3) / 2e4;
  }
  EXPECT_NEAR(sum, 3, 0.05);
  EXPECT_NEAR(squares, 4, 0.15);
  EXPECT_NEAR(cubes, 0, 0.7);
}

TEST(RandomNormal, TakesTheMomentsDtypeAndRefusesTwo) {
  const Try it = Try("random_normal").with("shape", i32({1}, {3})).with("mean", f16({}, {0}));
  EXPECT_EQ(it.type(), f16_type({3}));
  EXPECT_EQ(Try(it).with("stddev", 1.0).refusal(),
            "op 'it' (random_normal): parameter 'stddev' is fp32, but another of its kind is fp16");
}

}  // namespace anemone::mil::op::random_normal_test
