#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::logical_xor_test {

TEST(LogicalXor, FollowsItsTruthTable) {
  EXPECT_EQ(Try("logical_xor")
                .with("x", flags({2, 2}, {0, 0, 1, 1}))
                .with("y", flags({2, 2}, {0, 1, 0, 1}))
                .value(),
            flags({2, 2}, {0, 1, 1, 0}));
}

TEST(LogicalXor, BroadcastsTypesAndTakesBoolsOnly) {
  EXPECT_EQ(Try("logical_xor").with("x", bool_type({kUnknown, 1})).with("y", bool_type({3})).type(),
            bool_type({kUnknown, 3}));
  EXPECT_EQ(Try("logical_xor").with("x", bool_type({2})).with("y", i32_type({2})).refusal(),
            "op 'it' (logical_xor): parameter 'y' is int32; allowed: bool");
}

}  // namespace anemone::mil::op::logical_xor_test
