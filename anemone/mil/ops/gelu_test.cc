#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::gelu_test {

TEST(Gelu, FollowsItsThreeFormulas) {
  const Tensor x = f32({4}, {-3, -0.5, 0, 2});
  expect_near(Try("gelu").with("x", x).numbers(), {-0.00404969, -0.15426877, 0, 1.95449974});
  expect_near(Try("gelu").with("x", x).with("mode", "TANH_APPROXIMATION").numbers(),
              {-0.00363739, -0.15428599, 0, 1.95459769});
  expect_near(Try("gelu").with("x", x).with("mode", "SIGMOID_APPROXIMATION").numbers(),
              {-0.01807131, -0.14961156, 0, 1.93565862});
}

TEST(Gelu, KeepsTheTypeAndRefusesOtherModes) {
  EXPECT_EQ(Try("gelu").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("gelu").with("x", f16_type({2})).with("mode", "tanh").refusal(),
            "op 'it' (gelu): parameter 'mode' is 'tanh'; allowed: EXACT, TANH_APPROXIMATION, "
            "SIGMOID_APPROXIMATION");
}

}  // namespace anemone::mil::op::gelu_test
