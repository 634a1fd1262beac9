#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::relu6_test {

TEST(Relu6, CutsOffBelowZeroAndAboveSix) {
  expect_near(Try("relu6").with("x", f32({5}, {-2, 0, 0.5, 6, 7})).numbers(), {0, 0, 0.5, 6, 6});
  EXPECT_EQ(Try("relu6").with("x", f16({}, {6})).value(), f16({}, {6}));
}

TEST(Relu6, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("relu6").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("relu6").with("x", i32_type({2})).refusal(),
            "op 'it' (relu6): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::relu6_test
