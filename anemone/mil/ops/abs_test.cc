#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::abs_test {

TEST(Abs, IsTheMagnitude) {
  expect_near(Try("abs").with("x", f32({3}, {-2, 0, 3.5})).numbers(), {2, 0, 3.5});
  EXPECT_EQ(Try("abs").with("x", f16({}, {0})).value(), f16({}, {0}));
}

TEST(Abs, TakesIntegers) {
  EXPECT_EQ(Try("abs").with("x", i32({3}, {-2, 0, 3})).value(), i32({3}, {2, 0, 3}));
}

TEST(Abs, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("abs").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("abs").with("x", bool_type({2})).refusal(),
            "op 'it' (abs): parameter 'x' is bool; allowed: fp16, fp32, int32");
}

}  // namespace anemone::mil::op::abs_test
