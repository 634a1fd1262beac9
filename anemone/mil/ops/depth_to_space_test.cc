#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::depth_to_space_test {

TEST(DepthToSpace, SpreadsChannelsBlockByBlock) {
  EXPECT_EQ(Try("depth_to_space")
                .with("x", f16({1, 8, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7}))
                .with("block_size", 2)
                .value(),
            f16({1, 2, 2, 2}, {0, 2, 4, 6, 1, 3, 5, 7}));
}

TEST(DepthToSpace, InfersUnknownExtentsAndRefusesWhatDoesNotDivide) {
  EXPECT_EQ(Try("depth_to_space")
                .with("x", f16_type({kUnknown, 8, kUnknown, 3}))
                .with("block_size", 2)
                .type(),
            f16_type({kUnknown, 2, kUnknown, 6}));
  EXPECT_EQ(Try("depth_to_space").with("x", f16_type({1, 3, 2, 2})).with("block_size", 2).refusal(),
            "op 'it' (depth_to_space): the channels of x, 3, does not divide by 4");
  EXPECT_EQ(Try("depth_to_space").with("x", f16_type({1, 4, 4, 4})).with("block_size", 0).refusal(),
            "op 'it' (depth_to_space): parameter 'block_size' is 0; the least allowed is 1");
}

}  // namespace anemone::mil::op::depth_to_space_test
