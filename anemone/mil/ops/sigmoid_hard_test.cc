#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::sigmoid_hard_test {

TEST(SigmoidHard, IsALineBetweenZeroAndOne) {
  expect_near(Try("sigmoid_hard")
                  .with("x", f32({5}, {-4, -0.5, 0, 0.75, 3}))
                  .with("alpha", 0.5)
                  .with("beta", 1.5)
                  .numbers(),
              {0, 1, 1, 1, 1});
}

TEST(SigmoidHard, KeepsTheTypeAndTakesConstantsOfAnotherDtypeFromIos17On) {
  const auto it = [](Opset opset) {
    return Try("sigmoid_hard", opset)
        .with("x", f16_type({kUnknown, 2}))
        .with("alpha", 0.5)
        .with("beta", 1.5);
  };
  EXPECT_EQ(it(Opset::kIos17).type(), f16_type({kUnknown, 2}));
  EXPECT_EQ(it(Opset::kIos16).refusal(),
            "op 'it' (sigmoid_hard): parameter 'alpha' is fp32, but another of its kind is fp16");
}

TEST(SigmoidHard, NeedsItsConstants) {
  EXPECT_EQ(Try("sigmoid_hard").with("x", f32_type({2})).refusal(),
            "op 'it' (sigmoid_hard): lacks parameter 'alpha'");
}

}  // namespace anemone::mil::op::sigmoid_hard_test
