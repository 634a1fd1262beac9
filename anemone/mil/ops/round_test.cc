#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::round_test {

TEST(Round, RoundsTiesToEven) {
  expect_near(Try("round").with("x", f32({6}, {-1.5, -0.5, 0.5, 1.5, 2.5, 2.6})).numbers(),
              {-2, 0, 0, 2, 2, 3});
  EXPECT_EQ(Try("round").with("x", f16({}, {2.5})).value(), f16({}, {2}));
}

TEST(Round, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("round").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("round").with("x", i32_type({2})).refusal(),
            "op 'it' (round): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::round_test
