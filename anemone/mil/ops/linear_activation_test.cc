#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::linear_activation_test {

TEST(LinearActivation, IsALine) {
  expect_near(Try("linear_activation")
                  .with("x", f32({5}, {-4, -0.5, 0, 0.75, 3}))
                  .with("alpha", 0.5)
                  .with("beta", 1.5)
                  .numbers(),
              {-0.5, 1.25, 1.5, 1.875, 3});
}

TEST(LinearActivation, KeepsTheTypeAndTakesConstantsOfAnotherDtypeFromIos17On) {
  const auto it = [](Opset opset) {
    return Try("linear_activation", opset)
        .with("x", f16_type({kUnknown, 2}))
        .with("alpha", 0.5)
        .with("beta", 1.5);
  };
  EXPECT_EQ(it(Opset::kIos17).type(), f16_type({kUnknown, 2}));
  EXPECT_EQ(
      it(Opset::kIos16).refusal(),
      "op 'it' (linear_activation): parameter 'alpha' is fp32, but another of its kind is fp16");
}

TEST(LinearActivation, NeedsItsConstants) {
  EXPECT_EQ(Try("linear_activation").with("x", f32_type({2})).refusal(),
            "op 'it' (linear_activation): lacks parameter 'alpha'");
}

}  // namespace anemone::mil::op::linear_activation_test
