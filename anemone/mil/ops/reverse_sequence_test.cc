#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::reverse_sequence_test {

TEST(ReverseSequence, TurnsTheBeginningOfEachBatch) {
  EXPECT_EQ(Try("reverse_sequence")
                .with("x", i32({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}))
                .with("lengths", i32({2}, {3, 0}))
                .with("seq_axis", 1)
                .value(),
            i32({2, 4}, {3, 2, 1, 4, 5, 6, 7, 8}));
}

TEST(ReverseSequence, KeepsTheTypeAndRefusesBadLengths) {
  EXPECT_EQ(Try("reverse_sequence")
                .with("x", f16_type({kUnknown, 4}))
                .with("lengths", i32_type({2}))
                .with("seq_axis", 1)
                .type(),
            f16_type({kUnknown, 4}));
  const Try it = Try("reverse_sequence").with("x", f16({1, 2}, {1, 2})).with("seq_axis", 1);
  EXPECT_EQ(Try(it).with("lengths", i32({2}, {1, 1})).refusal(),
            "op 'it' (reverse_sequence): parameter 'lengths' has shape [2]; expected [1]");
  EXPECT_EQ(Try(it).with("lengths", i32({1}, {3})).refusal(),
            "op 'it' (reverse_sequence): parameter 'lengths' holds 3; allowed: 0 to 2");
}

}  // namespace anemone::mil::op::reverse_sequence_test
