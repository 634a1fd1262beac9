#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::argsort_test {

TEST(Argsort, OrdersEachLine) {
  const Tensor x = f16({2, 3}, {2, 3, 1, -1, -1, 5});
  EXPECT_EQ(Try("argsort").with("x", x).value(), i32({2, 3}, {1, 0, 2, 2, 0, 1}));
  EXPECT_EQ(Try("argsort").with("x", x).with("ascending", true).value(),
            i32({2, 3}, {2, 0, 1, 0, 1, 2}));
  EXPECT_EQ(Try("argsort").with("x", x).with("axis", 0).value(), i32({2, 3}, {0, 0, 1, 1, 1, 0}));
}

TEST(Argsort, GivesInt32AndRefusesABadAxis) {
  EXPECT_EQ(Try("argsort").with("x", f16_type({kUnknown, 2})).type(), i32_type({kUnknown, 2}));
  EXPECT_EQ(Try("argsort").with("x", f16_type({2})).with("axis", 1).refusal(),
            "op 'it' (argsort): parameter 'axis' is 1; allowed: -1 to 0");
}

}  // namespace anemone::mil::op::argsort_test
