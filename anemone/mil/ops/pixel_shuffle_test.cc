#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::pixel_shuffle_test {

TEST(PixelShuffle, SpreadsEachChannelsOwnBlock) {
  EXPECT_EQ(Try("pixel_shuffle")
                .with("x", f16({1, 8, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7}))
                .with("upscale_factor", 2)
                .value(),
            f16({1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(PixelShuffle, InfersUnknownExtentsAndRefusesWhatDoesNotDivide) {
  EXPECT_EQ(Try("pixel_shuffle")
                .with("x", f16_type({kUnknown, 8, kUnknown, 3}))
                .with("upscale_factor", 2)
                .type(),
            f16_type({kUnknown, 2, kUnknown, 6}));
  EXPECT_EQ(
      Try("pixel_shuffle").with("x", f16_type({1, 3, 2, 2})).with("upscale_factor", 2).refusal(),
      "op 'it' (pixel_shuffle): the channels of x, 3, does not divide by 4");
  EXPECT_EQ(
      Try("pixel_shuffle").with("x", f16_type({1, 4, 4, 4})).with("upscale_factor", 0).refusal(),
      "op 'it' (pixel_shuffle): parameter 'upscale_factor' is 0; the least allowed is 1");
}

}  // namespace anemone::mil::op::pixel_shuffle_test
