#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::inverse_test {

TEST(Inverse, AddsASmallConstantFirst) {
  expect_near(Try("inverse").with("x", f32({3}, {0.25, 1, 16})).numbers(),
              {1 / 0.2501, 1 / 1.0001, 1 / 16.0001});
  expect_near(Try("inverse").with("x", f32({1}, {1})).with("epsilon", 3.0).numbers(), {0.25});
}

TEST(Inverse, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("inverse").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("inverse").with("x", i32_type({2})).refusal(),
            "op 'it' (inverse): parameter 'x' is int32; allowed: fp16, fp32");
}

TEST(Inverse, TakesAnEpsilonOfAnotherDtypeFromIos17On) {
  const auto refusal = [](Opset opset) {
    return Try("inverse", opset).with("x", f16_type({2})).with("epsilon", 1e-3).refusal();
  };
  EXPECT_EQ(refusal(Opset::kIos17), "");
  EXPECT_EQ(refusal(Opset::kIos16),
            "op 'it' (inverse): parameter 'epsilon' is fp32, but another of its kind is fp16");
}

}  // namespace anemone::mil::op::inverse_test
