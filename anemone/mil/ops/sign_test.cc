#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::sign_test {

TEST(Sign, IsMinusOneZeroOrOne) {
  expect_near(Try("sign").with("x", f32({3}, {-3, 0, 0.25})).numbers(), {-1, 0, 1});
  EXPECT_EQ(Try("sign").with("x", f16({}, {0})).value(), f16({}, {0}));
}

TEST(Sign, TakesIntegers) {
  EXPECT_EQ(Try("sign").with("x", i32({3}, {-2, 0, 3})).value(), i32({3}, {-1, 0, 1}));
}

TEST(Sign, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("sign").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("sign").with("x", bool_type({2})).refusal(),
            "op 'it' (sign): parameter 'x' is bool; allowed: fp16, fp32, int32");
}

}  // namespace anemone::mil::op::sign_test
