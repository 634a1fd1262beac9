#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::layer_norm_test {

TEST(LayerNorm, HasMeanZeroAndVarianceOne) {
  expect_near(Try("layer_norm")
                  .with("x", f32({2, 2}, {1, 3, -4, 4}))
                  .with("axes", i32({1}, {-1}))
                  .with("epsilon", 0.0)
                  .numbers(),
              {-1, 1, -1, 1});
}

TEST(LayerNorm, ScalesAndShiftsOverAnyAxes) {
  expect_near(Try("layer_norm")
                  .with("x", f32({2, 2}, {1, 10, 3, 30}))
                  .with("axes", i32({1}, {0}))
                  .with("gamma", f32({2}, {2, 3}))
                  .with("beta", f32({2}, {0, 5}))
                  .with("epsilon", 3.0)
                  .numbers(),
              {-1, -20 / std::sqrt(103.0), 6.5, 30 / std::sqrt(103.0) + 5});
}

TEST(LayerNorm, TakesAllAxesByDefault) {
  expect_near(Try("layer_norm").with("x", f32({2, 2}, {0, 0, 2, 2})).numbers(), {-1, -1, 1, 1},
              1e-5);
}

TEST(LayerNorm, KeepsUnknownExtents) {
  EXPECT_EQ(Try("layer_norm")
                .with("x", f16_type({1, kUnknown, 2}))
                .with("axes", i32({1}, {2}))
                .with("gamma", f32({2}, {1, 1}))
                .type(),
            f16_type({1, kUnknown, 2}));
}

TEST(LayerNorm, RefusesParametersOfAnotherShape) {
  EXPECT_EQ(Try("layer_norm")
                .with("x", f32_type({4, 2}))
                .with("axes", i32({1}, {1}))
                .with("beta", f32({3}, {1, 1, 1}))
                .refusal(),
            "op 'it' (layer_norm): parameter 'beta' has shape [3]; expected [2]");
  EXPECT_EQ(Try("layer_norm").with("x", f32_type({4, 2})).with("axes", i32({1}, {2})).refusal(),
            "op 'it' (layer_norm): parameter 'axes' holds 2; allowed: -2 to 1");
}

}  // namespace anemone::mil::op::layer_norm_test
