#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::random_bernoulli_test {

TEST(RandomBernoulli, IsOneWithItsProbability) {
  const Tensor y = Try("random_bernoulli")
                       .with("shape", i32({1}, {10000}))
                       .with("prob", 0.25)
                       .with("seed", 5)
                       .value();
  double ones = 0;
  for (const double value : y.to_doubles()) {
    EXPECT_TRUE(value == 0 || value == 1);
    ones += value;
  }
  EXPECT_NEAR(ones, 2500, 150);
}

TEST(RandomBernoulli, TakesTheProbabilitysDtypeAndRefusesWhatIsNone) {
  const Try it = Try("random_bernoulli").with("shape", i32({1}, {3}));
  EXPECT_EQ(Try(it).with("prob", f16({}, {0.5})).type(), f16_type({3}));
  EXPECT_EQ(Try(it).with("prob", 1.5).refusal(),
            "op 'it' (random_bernoulli): parameter 'prob' is 1.500000; allowed: 0 to 1");
}

}  // namespace anemone::mil::op::random_bernoulli_test
