#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::clamped_relu_test {

TEST(ClampedRelu, LeaksBelowZeroAndStopsAtBeta) {
  expect_near(Try("clamped_relu")
                  .with("x", f32({5}, {-4, -0.5, 0, 0.75, 3}))
                  .with("alpha", 0.5)
                  .with("beta", 1.5)
                  .numbers(),
              {-2, -0.25, 0, 0.75, 1.5});
}

TEST(ClampedRelu, KeepsNotANumber) {
  const auto y = Try("clamped_relu")
                     .with("x", f32({2}, {NAN, 9}))
                     .with("alpha", 0.5)
                     .with("beta", 1.5)
                     .numbers();
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], 1.5);
}

TEST(ClampedRelu, KeepsTheTypeAndTakesConstantsOfAnotherDtypeFromIos17On) {
  const auto it = [](Opset opset) {
    return Try("clamped_relu", opset)
        .with("x", f16_type({kUnknown, 2}))
        .with("alpha", 0.5)
        .with("beta", 1.5);
  };
  EXPECT_EQ(it(Opset::kIos17).type(), f16_type({kUnknown, 2}));
  EXPECT_EQ(it(Opset::kIos16).refusal(),
            "op 'it' (clamped_relu): parameter 'alpha' is fp32, but another of its kind is fp16");
}

TEST(ClampedRelu, NeedsItsConstants) {
  EXPECT_EQ(Try("clamped_relu").with("x", f32_type({2})).refusal(),
            "op 'it' (clamped_relu): lacks parameter 'alpha'");
}

}  // namespace anemone::mil::op::clamped_relu_test
