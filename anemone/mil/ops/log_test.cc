#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::log_test {

TEST(Log, AddsASmallConstantFirst) {
  expect_near(Try("log").with("x", f32({3}, {1, 0.5, 20})).numbers(),
              {0, -0.693147181, 2.99573227});
  expect_near(Try("log").with("x", f32({1}, {1})).with("epsilon", 3.0).numbers(), {1.38629436});
}

TEST(Log, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("log").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("log").with("x", i32_type({2})).refusal(),
            "op 'it' (log): parameter 'x' is int32; allowed: fp16, fp32");
}

TEST(Log, TakesAnEpsilonOfAnotherDtypeFromIos17On) {
  const auto refusal = [](Opset opset) {
    return Try("log", opset).with("x", f16_type({2})).with("epsilon", 1e-3).refusal();
  };
  EXPECT_EQ(refusal(Opset::kIos17), "");
  EXPECT_EQ(refusal(Opset::kIos16),
            "op 'it' (log): parameter 'epsilon' is fp32, but another of its kind is fp16");
}

}  // namespace anemone::mil::op::log_test
