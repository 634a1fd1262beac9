#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::space_to_depth_test {

TEST(SpaceToDepth, GathersBlocksIntoChannels) {
  EXPECT_EQ(Try("space_to_depth")
                .with("x", f16({1, 2, 2, 2}, {0, 2, 4, 6, 1, 3, 5, 7}))
                .with("block_size", 2)
                .value(),
            f16({1, 8, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(SpaceToDepth, InfersUnknownExtentsAndRefusesWhatDoesNotDivide) {
  EXPECT_EQ(Try("space_to_depth")
                .with("x", f16_type({kUnknown, 2, kUnknown, 6}))
                .with("block_size", 2)
                .type(),
            f16_type({kUnknown, 8, kUnknown, 3}));
  EXPECT_EQ(Try("space_to_depth").with("x", f16_type({1, 3, 3, 2})).with("block_size", 2).refusal(),
            "op 'it' (space_to_depth): the height of x, 3, does not divide by 2");
  EXPECT_EQ(Try("space_to_depth").with("x", f16_type({1, 4, 4, 4})).with("block_size", 0).refusal(),
            "op 'it' (space_to_depth): parameter 'block_size' is 0; the least allowed is 1");
}

}  // namespace anemone::mil::op::space_to_depth_test
