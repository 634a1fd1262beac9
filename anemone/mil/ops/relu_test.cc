#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::relu_test {

TEST(Relu, CutsOffBelowZero) {
  expect_near(Try("relu").with("x", f32({4}, {-2, 0, 0.5, 3})).numbers(), {0, 0, 0.5, 3});
  EXPECT_EQ(Try("relu").with("x", f16({}, {0.5})).value(), f16({}, {0.5}));
}

TEST(Relu, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("relu").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("relu").with("x", i32_type({2})).refusal(),
            "op 'it' (relu): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::relu_test
