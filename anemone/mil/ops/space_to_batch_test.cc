#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::space_to_batch_test {

TEST(SpaceToBatch, MakesAnImageOfEachPlaceOfABlock) {
  EXPECT_EQ(Try("space_to_batch")
                .with("x", f16({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}))
                .with("block_shape", i32({2}, {2, 2}))
                .with("paddings", i32({2, 2}, {0, 0, 1, 0}))
                .value(),
            f16({4, 1, 1, 2}, {0, 2, 1, 3, 0, 5, 4, 6}));
}

TEST(SpaceToBatch, InfersUnknownExtentsAndRefusesWhatDoesNotDivide) {
  const Try it = Try("space_to_batch")
                     .with("block_shape", i32({2}, {2, 3}))
                     .with("paddings", i32({2, 2}, {0, 0, 1, 1}));
  EXPECT_EQ(Try(it).with("x", f16_type({2, 5, kUnknown, 4})).type(),
            f16_type({12, 5, kUnknown, 2}));
  EXPECT_EQ(Try(it).with("x", f16_type({2, 5, 3, 4})).refusal(),
            "op 'it' (space_to_batch): the padded height of x, 3, does not divide by 2");
}

}  // namespace anemone::mil::op::space_to_batch_test
