#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::reverse_test {

TEST(Reverse, TurnsTheNamedAxesOrAll) {
  const Tensor x = i32({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(Try("reverse").with("x", x).with("axes", i32({1}, {-1})).value(),
            i32({2, 2}, {2, 1, 4, 3}));
  EXPECT_EQ(Try("reverse").with("x", x).value(), i32({2, 2}, {4, 3, 2, 1}));
}

TEST(Reverse, KeepsTheTypeAndRefusesABadAxis) {
  EXPECT_EQ(Try("reverse").with("x", bool_type({kUnknown})).type(), bool_type({kUnknown}));
  EXPECT_EQ(Try("reverse").with("x", f32_type({2})).with("axes", i32({1}, {1})).refusal(),
            "op 'it' (reverse): parameter 'axes' holds 1; allowed: -1 to 0");
}

}  // namespace anemone::mil::op::reverse_test
