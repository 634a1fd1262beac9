#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::upsample_bilinear_test {

TEST(UpsampleBilinear, AlignsCornersOrHalfPixels) {
  const Try it = Try("upsample_bilinear").with("x", f32({1, 1, 2}, {0, 1}));
  expect_near(Try(it).with("scale_factor_width", 3).numbers(), {0, 0.2, 0.4, 0.6, 0.8, 1});
  const Try loose = Try(it).with("scale_factor_width", 2.6).with("align_corners", false);
  expect_near(loose.numbers(), {0, 0.1, 0.5, 0.9, 1});
  expect_near(Try(loose).with("half_pixel_centers", false).numbers(), {0, 0.4, 0.8, 1, 1});
}

TEST(UpsampleBilinear, ScalesBothAxes) {
  expect_near(Try("upsample_bilinear")
                  .with("x", f32({1, 2, 2}, {0, 2, 4, 6}))
                  .with("scale_factor_height", 2)
                  .with("align_corners", false)
                  .numbers(),
              {0, 2, 1, 3, 3, 5, 4, 6});
}

TEST(UpsampleBilinear, InfersUnknownExtentsAndRefusesLaterParameters) {
  EXPECT_EQ(Try("upsample_bilinear")
                .with("x", f16_type({1, kUnknown, 3}))
                .with("scale_factor_width", 1.5)
                .type(),
            f16_type({1, kUnknown, 4}));
  EXPECT_EQ(Try("upsample_bilinear", Opset::kIos15)
                .with("x", f16_type({1, 2, 3}))
                .with("half_pixel_centers", true)
                .refusal(),
            "op 'it' (upsample_bilinear): parameter 'half_pixel_centers' exists from ios16 on, but "
            "the function speaks ios15");
}

}  // namespace anemone::mil::op::upsample_bilinear_test
