#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::rsqrt_test {

TEST(Rsqrt, AddsASmallConstantFirst) {
  expect_near(Try("rsqrt").with("x", f32({3}, {0.25, 1, 16})).numbers(), {2, 1, 0.25});
  expect_near(Try("rsqrt").with("x", f32({1}, {1})).with("epsilon", 3.0).numbers(), {0.5});
}

TEST(Rsqrt, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("rsqrt").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("rsqrt").with("x", i32_type({2})).refusal(),
            "op 'it' (rsqrt): parameter 'x' is int32; allowed: fp16, fp32");
}

TEST(Rsqrt, TakesAnEpsilonOfAnotherDtypeFromIos17On) {
  const auto refusal = [](Opset opset) {
    return Try("rsqrt", opset).with("x", f16_type({2})).with("epsilon", 1e-3).refusal();
  };
  EXPECT_EQ(refusal(Opset::kIos17), "");
  EXPECT_EQ(refusal(Opset::kIos16),
            "op 'it' (rsqrt): parameter 'epsilon' is fp32, but another of its kind is fp16");
}

}  // namespace anemone::mil::op::rsqrt_test
