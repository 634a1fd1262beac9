#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::sin_test {

TEST(Sin, IsTheSine) {
  expect_near(Try("sin").with("x", f32({3}, {-1, 0, 3})).numbers(), {-0.841470985, 0, 0.141120008});
  EXPECT_EQ(Try("sin").with("x", f16({}, {0})).value(), f16({}, {0}));
}

TEST(Sin, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("sin").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("sin").with("x", i32_type({2})).refusal(),
            "op 'it' (sin): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::sin_test
