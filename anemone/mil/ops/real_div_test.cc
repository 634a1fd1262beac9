#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::real_div_test {

TEST(RealDiv, DividesBroadcastFloats) {
  EXPECT_EQ(
      Try("real_div").with("x", f16({2, 1}, {1.5, -2})).with("y", f16({3}, {1, 2, -4})).value(),
      f16({2, 3}, {1.5, 0.75, -0.375, -2, -1, 0.5}));
}

TEST(RealDiv, DividesIntegersAndRefusesZero) {
  EXPECT_EQ(Try("real_div").with("x", i32({3}, {7, -7, 7})).with("y", i32({3}, {2, 2, -2})).value(),
            i32({3}, {3, -3, -3}));
  EXPECT_EQ(Try("real_div").with("x", i32({}, {5})).with("y", i32({}, {0})).refusal(),
            "op 'it' (real_div): divides 5 by 0");
}

TEST(RealDiv, BroadcastsTypesAndRefusesWhatDoesNotFit) {
  EXPECT_EQ(Try("real_div").with("x", f32_type({kUnknown, 1})).with("y", f32_type({4})).type(),
            f32_type({kUnknown, 4}));
  EXPECT_EQ(Try("real_div").with("x", f32_type({2, 3})).with("y", f32_type({2})).refusal(),
            "op 'it' (real_div): parameters 'x' and 'y' have shapes [2, 3] and [2], which do not "
            "broadcast");
}

}  // namespace anemone::mil::op::real_div_test
