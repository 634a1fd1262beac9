#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::random_categorical_test {

std::vector<double> counts(const Try& it) {
  std::vector<double> counts(3);
  for (const double value : it.numbers()) counts[static_cast<std::size_t>(value)] += 1;
  return counts;
}

TEST(RandomCategorical, DrawsByProbabilitiesOrLogits) {
  const auto probs = counts(Try("random_categorical")
                                .with("x", f32({1, 3}, {0.2, 0, 0.8}))
                                .with("mode", "probs")
                                .with("size", 10000)
                                .with("seed", 3));
  EXPECT_NEAR(probs[0], 2000, 150);
  EXPECT_EQ(probs[1], 0);
  const auto logits = counts(Try("random_categorical")
                                 .with("x", f32({1, 3}, {100, 100, 100 + std::log(2.0)}))
                                 .with("size", 10000)
                                 .with("seed", 3));
  EXPECT_NEAR(logits[2], 5000, 200);
}

TEST(RandomCategorical, InfersUnknownExtentsAndRefusesOtherModes) {
  const Try it = Try("random_categorical").with("x", f16_type({kUnknown, 3}));
  EXPECT_EQ(Try(it).with("size", 5).type(), f16_type({kUnknown, 5}));
  EXPECT_EQ(Try(it).with("mode", "odds").refusal(),
            "op 'it' (random_categorical): parameter 'mode' is 'odds'; allowed: logits, probs");
}

}  // namespace anemone::mil::op::random_categorical_test
