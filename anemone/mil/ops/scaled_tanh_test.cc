#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::scaled_tanh_test {

TEST(ScaledTanh, IsATanhOfItsOwnScale) {
  expect_near(Try("scaled_tanh")
                  .with("x", f32({5}, {-4, -0.5, 0, 0.75, 3}))
                  .with("alpha", 0.5)
                  .with("beta", 1.5)
                  .numbers(),
              {-0.499993856, -0.317574476, 0, 0.404650535, 0.499876605});
}

TEST(ScaledTanh, KeepsTheTypeAndTakesConstantsOfAnotherDtypeFromIos17On) {
  const auto it = [](Opset opset) {
    return Try("scaled_tanh", opset)
        .with("x", f16_type({kUnknown, 2}))
        .with("alpha", 0.5)
        .with("beta", 1.5);
  };
  EXPECT_EQ(it(Opset::kIos17).type(), f16_type({kUnknown, 2}));
  EXPECT_EQ(it(Opset::kIos16).refusal(),
            "op 'it' (scaled_tanh): parameter 'alpha' is fp32, but another of its kind is fp16");
}

TEST(ScaledTanh, NeedsItsConstants) {
  EXPECT_EQ(Try("scaled_tanh").with("x", f32_type({2})).refusal(),
            "op 'it' (scaled_tanh): lacks parameter 'alpha'");
}

}  // namespace anemone::mil::op::scaled_tanh_test
