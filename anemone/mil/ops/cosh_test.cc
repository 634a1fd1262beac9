#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::cosh_test {

TEST(Cosh, IsTheHyperbolicCosine) {
  expect_near(Try("cosh").with("x", f32({3}, {-1, 0, 3})).numbers(), {1.54308063, 1, 10.067662});
  EXPECT_EQ(Try("cosh").with("x", f16({}, {0})).value(), f16({}, {1}));
}

TEST(Cosh, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("cosh").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("cosh").with("x", i32_type({2})).refusal(),
            "op 'it' (cosh): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::cosh_test
