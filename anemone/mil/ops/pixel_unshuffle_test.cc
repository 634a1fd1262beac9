#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::pixel_unshuffle_test {

TEST(PixelUnshuffle, GathersEachChannelsBlocksBesideOneAnother) {
  EXPECT_EQ(Try("pixel_unshuffle")
                .with("x", f16({1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}))
                .with("downscale_factor", ints(DType::kU32, {}, {2}))
                .value(),
            f16({1, 8, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(PixelUnshuffle, InfersUnknownExtentsAndRefusesWhatDoesNotDivide) {
  EXPECT_EQ(Try("pixel_unshuffle")
                .with("x", f16_type({kUnknown, 2, kUnknown, 6}))
                .with("downscale_factor", ints(DType::kU32, {}, {2}))
                .type(),
            f16_type({kUnknown, 8, kUnknown, 3}));
  EXPECT_EQ(Try("pixel_unshuffle")
                .with("x", f16_type({1, 3, 3, 2}))
                .with("downscale_factor", ints(DType::kU32, {}, {2}))
                .refusal(),
            "op 'it' (pixel_unshuffle): the height of x, 3, does not divide by 2");
  EXPECT_EQ(Try("pixel_unshuffle")
                .with("x", f16_type({1, 4, 4, 4}))
                .with("downscale_factor", ints(DType::kU32, {}, {0}))
                .refusal(),
            "op 'it' (pixel_unshuffle): parameter 'downscale_factor' is 0; the least allowed is 1");
}

}  // namespace anemone::mil::op::pixel_unshuffle_test
