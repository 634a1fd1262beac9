#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::floor_div_test {

TEST(FloorDiv, DividesBroadcastFloats) {
  EXPECT_EQ(
      Try("floor_div").with("x", f16({2, 1}, {1.5, -2})).with("y", f16({3}, {1, 2, -4})).value(),
      f16({2, 3}, {1, 0, -1, -2, -1, 0}));
}

TEST(FloorDiv, DividesIntegersAndRefusesZero) {
  EXPECT_EQ(
      Try("floor_div").with("x", i32({3}, {7, -7, 7})).with("y", i32({3}, {2, 2, -2})).value(),
      i32({3}, {3, -4, -4}));
  EXPECT_EQ(Try("floor_div").with("x", i32({}, {5})).with("y", i32({}, {0})).refusal(),
            "op 'it' (floor_div): divides 5 by 0");
}

TEST(FloorDiv, BroadcastsTypesAndRefusesWhatDoesNotFit) {
  EXPECT_EQ(Try("floor_div").with("x", f32_type({kUnknown, 1})).with("y", f32_type({4})).type(),
            f32_type({kUnknown, 4}));
  EXPECT_EQ(Try("floor_div").with("x", f32_type({2, 3})).with("y", f32_type({2})).refusal(),
            "op 'it' (floor_div): parameters 'x' and 'y' have shapes [2, 3] and [2], which do not "
            "broadcast");
}

}  // namespace anemone::mil::op::floor_div_test
