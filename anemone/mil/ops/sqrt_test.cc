#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::sqrt_test {

TEST(Sqrt, IsTheSquareRoot) {
  expect_near(Try("sqrt").with("x", f32({4}, {0, 1, 2, 9})).numbers(), {0, 1, 1.41421356, 3});
  EXPECT_EQ(Try("sqrt").with("x", f16({}, {2})).value(), f16({}, {1.41421356}));
}

TEST(Sqrt, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("sqrt").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("sqrt").with("x", i32_type({2})).refusal(),
            "op 'it' (sqrt): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::sqrt_test
