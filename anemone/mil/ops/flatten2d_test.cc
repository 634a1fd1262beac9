#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::flatten2d_test {

TEST(Flatten2d, FoldsTheAxesOnEitherSide) {
  const Tensor x = i32({2, 1, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Try("flatten2d").with("x", x).value(), i32({2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Try("flatten2d").with("x", x).with("axis", 3).value(), i32({6, 1}, {1, 2, 3, 4, 5, 6}));
}

TEST(Flatten2d, InfersUnknownExtentsAndRefusesABadAxis) {
  EXPECT_EQ(Try("flatten2d").with("x", f16_type({2, kUnknown, 3})).with("axis", -1).type(),
            f16_type({kUnknown, 3}));
  EXPECT_EQ(Try("flatten2d").with("x", f16_type({2})).with("axis", 2).refusal(),
            "op 'it' (flatten2d): parameter 'axis' is 2; allowed: -1 to 1");
}

}  // namespace anemone::mil::op::flatten2d_test
