#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::logical_or_test {

TEST(LogicalOr, FollowsItsTruthTable) {
  EXPECT_EQ(Try("logical_or")
                .with("x", flags({2, 2}, {0, 0, 1, 1}))
                .with("y", flags({2, 2}, {0, 1, 0, 1}))
                .value(),
            flags({2, 2}, {0, 1, 1, 1}));
}

TEST(LogicalOr, BroadcastsTypesAndTakesBoolsOnly) {
  EXPECT_EQ(Try("logical_or").with("x", bool_type({kUnknown, 1})).with("y", bool_type({3})).type(),
            bool_type({kUnknown, 3}));
  EXPECT_EQ(Try("logical_or").with("x", bool_type({2})).with("y", i32_type({2})).refusal(),
            "op 'it' (logical_or): parameter 'y' is int32; allowed: bool");
}

}  // namespace anemone::mil::op::logical_or_test
