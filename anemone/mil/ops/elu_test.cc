#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::elu_test {

TEST(Elu, CurvesBelowZero) {
  expect_near(Try("elu").with("x", f32({5}, {-4, -0.5, 0, 0.75, 3})).with("alpha", 0.5).numbers(),
              {-0.490842181, -0.19673467, 0, 0.75, 3});
}

TEST(Elu, KeepsTheTypeAndTakesConstantsOfAnotherDtypeFromIos17On) {
  const auto it = [](Opset opset) {
    return Try("elu", opset).with("x", f16_type({kUnknown, 2})).with("alpha", 0.5);
  };
  EXPECT_EQ(it(Opset::kIos17).type(), f16_type({kUnknown, 2}));
  EXPECT_EQ(it(Opset::kIos16).refusal(),
            "op 'it' (elu): parameter 'alpha' is fp32, but another of its kind is fp16");
}

TEST(Elu, NeedsItsConstants) {
  EXPECT_EQ(Try("elu").with("x", f32_type({2})).refusal(),
            "op 'it' (elu): lacks parameter 'alpha'");
}

}  // namespace anemone::mil::op::elu_test
