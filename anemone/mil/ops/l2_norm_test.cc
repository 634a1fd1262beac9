#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::l2_norm_test {

TEST(L2Norm, NormalizesOverTheLastThreeAxes) {
  expect_near(Try("l2_norm").with("x", f32({2, 2, 1, 1}, {3, 4, 0, 5})).numbers(),
              {0.6, 0.8, 0, 1});
  expect_near(Try("l2_norm").with("x", f32({1, 1, 2}, {3, 4})).with("epsilon", 11.0).numbers(),
              {0.5, 4.0 / 6});
}

TEST(L2Norm, KeepsUnknownExtentsAndRefusesLowRanks) {
  EXPECT_EQ(Try("l2_norm").with("x", f16_type({1, 2, kUnknown})).type(),
            f16_type({1, 2, kUnknown}));
  EXPECT_EQ(Try("l2_norm").with("x", f16_type({1, 2})).refusal(),
            "op 'it' (l2_norm): parameter 'x' has rank 2; allowed: 3 to 5");
}

}  // namespace anemone::mil::op::l2_norm_test
