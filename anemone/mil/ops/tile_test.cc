#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::tile_test {

TEST(Tile, RepeatsAlongEveryAxis) {
  EXPECT_EQ(Try("tile").with("x", f16({1, 2}, {1, 2})).with("reps", i32({2}, {2, 2})).value(),
            f16({2, 4}, {1, 2, 1, 2, 1, 2, 1, 2}));
}

TEST(Tile, InfersUnknownExtentsAndRepeats) {
  EXPECT_EQ(Try("tile").with("x", f32_type({kUnknown, 3})).with("reps", i32({2}, {2, 4})).type(),
            f32_type({kUnknown, 12}));
  EXPECT_EQ(Try("tile").with("x", f32_type({2, 3})).with("reps", i32_type({2})).type(),
            f32_type({kUnknown, kUnknown}));
}

TEST(Tile, RefusesWhatMakesNoTensor) {
  const Try it = Try("tile").with("x", f32_type({2, 3000000}));
  EXPECT_EQ(Try(it).with("reps", i32({1}, {2})).refusal(),
            "op 'it' (tile): parameter 'reps' has shape [1]; expected [2]");
  EXPECT_EQ(Try(it).with("reps", i32({2}, {1, 0})).refusal(),
            "op 'it' (tile): parameter 'reps' holds 0; the least allowed is 1");
  EXPECT_EQ(Try(it).with("reps", i32({2}, {1, 2000000000})).refusal(),
            "op 'it' (tile): an extent of 3000000 times 2000000000 is more than any memory holds");
  EXPECT_EQ(Try(it).with("reps", i32({2}, {2000000000, 10})).refusal(),
            "op 'it' (tile): the output is tensor<fp32, [4000000000, 30000000]>, more elements "
            "than any memory holds");
}

}  // namespace anemone::mil::op::tile_test
