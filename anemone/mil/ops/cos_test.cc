#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::cos_test {

TEST(Cos, IsTheCosine) {
  expect_near(Try("cos").with("x", f32({3}, {-1, 0, 3})).numbers(), {0.540302306, 1, -0.989992497});
  EXPECT_EQ(Try("cos").with("x", f16({}, {0})).value(), f16({}, {1}));
}

TEST(Cos, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("cos").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("cos").with("x", i32_type({2})).refusal(),
            "op 'it' (cos): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::cos_test
