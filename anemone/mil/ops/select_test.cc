#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::select_test {

TEST(Select, TakesAWhereTheConditionHolds) {
  EXPECT_EQ(Try("select")
                .with("cond", flags({2, 1}, {1, 0}))
                .with("a", f16({3}, {1, 2, 3}))
                .with("b", f16({}, {-1}))
                .value(),
            f16({2, 3}, {1, 2, 3, -1, -1, -1}));
  EXPECT_EQ(Try("select")
                .with("cond", flags({}, {0}))
                .with("a", flags({2}, {0, 0}))
                .with("b", flags({2}, {0, 1}))
                .value(),
            flags({2}, {0, 1}));
}

TEST(Select, InfersUnknownExtents) {
  EXPECT_EQ(Try("select")
                .with("cond", bool_type({kUnknown, 1}))
                .with("a", i32_type({1, 4}))
                .with("b", i32_type({}))
                .type(),
            i32_type({kUnknown, 4}));
}

TEST(Select, RefusesWhatDoesNotBroadcast) {
  EXPECT_EQ(Try("select")
                .with("cond", bool_type({3}))
                .with("a", i32_type({4}))
                .with("b", i32_type({4}))
                .refusal(),
            "op 'it' (select): parameter 'cond' has shape [3], which does not broadcast with that "
            "of a and b, [4]");
  EXPECT_EQ(Try("select")
                .with("cond", bool_type({4}))
                .with("a", i32_type({4}))
                .with("b", f32_type({4}))
                .refusal(),
            "op 'it' (select): parameter 'b' is fp32, but another of its kind is int32");
}

}  // namespace anemone::mil::op::select_test
