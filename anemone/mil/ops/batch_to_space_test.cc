#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::batch_to_space_test {

TEST(BatchToSpace, TakesBackWhatSpaceToBatchDid) {
  EXPECT_EQ(Try("batch_to_space")
                .with("x", f16({4, 1, 1, 2}, {0, 2, 1, 3, 0, 5, 4, 6}))
                .with("block_shape", i32({2}, {2, 2}))
                .with("crops", i32({2, 2}, {0, 0, 1, 0}))
                .value(),
            f16({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}));
}

TEST(BatchToSpace, InfersUnknownExtentsAndRefusesWhatDoesNotDivide) {
  const Try it = Try("batch_to_space").with("block_shape", i32({2}, {2, 3}));
  EXPECT_EQ(Try(it)
                .with("x", f16_type({12, 5, kUnknown, 2}))
                .with("crops", i32({2, 2}, {0, 0, 1, 1}))
                .type(),
            f16_type({2, 5, kUnknown, 4}));
  EXPECT_EQ(
      Try(it).with("x", f16_type({8, 5, 2, 2})).with("crops", i32({2, 2}, {0, 0, 0, 0})).refusal(),
      "op 'it' (batch_to_space): the batch of x, 8, does not divide by 6");
  EXPECT_EQ(
      Try(it).with("x", f16_type({6, 5, 2, 2})).with("crops", i32({2, 2}, {2, 3, 0, 0})).refusal(),
      "op 'it' (batch_to_space): crops 5 of 4 elements");
}

}  // namespace anemone::mil::op::batch_to_space_test
