#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::resize_bilinear_test {

std::vector<double> resized(const char* mode, int width) {
  return Try("resize_bilinear")
      .with("x", f32({1, 1, 2}, {0, 1}))
      .with("target_size_width", width)
      .with("sampling_mode", mode)
      .numbers();
}

TEST(ResizeBilinear, SamplesByItsMode) {
  expect_near(resized("STRICT_ALIGN_CORNERS", 5), {0, 0.25, 0.5, 0.75, 1});
  expect_near(resized("ALIGN_CORNERS", 1), {0.5});
  expect_near(resized("STRICT_ALIGN_CORNERS", 1), {0});
  expect_near(resized("UNALIGN_CORNERS", 5), {0, 0.1, 0.5, 0.9, 1});
  expect_near(resized("DEFAULT", 5), {0, 0.4, 0.8, 1, 1});
  expect_near(resized("OFFSET_CORNERS", 5), {0.1, 0.3, 0.5, 0.7, 0.9});
}

TEST(ResizeBilinear, TakesUnknownExtentsAndRefusesWhatIsNoSize) {
  const Try it = Try("resize_bilinear").with("x", f16_type({kUnknown, 3, kUnknown, 4}));
  EXPECT_EQ(Try(it).with("target_size_height", 6).with("target_size_width", 2).type(),
            f16_type({kUnknown, 3, 6, 2}));
  EXPECT_EQ(Try(it).with("target_size_height", 0).refusal(),
            "op 'it' (resize_bilinear): resizes an axis of ? elements to 0");
  EXPECT_EQ(Try(it).with("sampling_mode", "NEAREST").refusal(),
            "op 'it' (resize_bilinear): parameter 'sampling_mode' is 'NEAREST'; allowed: "
            "STRICT_ALIGN_CORNERS, ALIGN_CORNERS, UNALIGN_CORNERS, DEFAULT, OFFSET_CORNERS");
}

}  // namespace anemone::mil::op::resize_bilinear_test
