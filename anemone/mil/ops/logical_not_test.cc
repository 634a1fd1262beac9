#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::logical_not_test {

TEST(LogicalNot, TurnsEachBool) {
  EXPECT_EQ(Try("logical_not").with("x", flags({2}, {0, 1})).value(), flags({2}, {1, 0}));
}

TEST(LogicalNot, KeepsTheTypeAndTakesBoolsOnly) {
  EXPECT_EQ(Try("logical_not").with("x", bool_type({kUnknown})).type(), bool_type({kUnknown}));
  EXPECT_EQ(Try("logical_not").with("x", i32_type({2})).refusal(),
            "op 'it' (logical_not): parameter 'x' is int32; allowed: bool");
}

}  // namespace anemone::mil::op::logical_not_test
