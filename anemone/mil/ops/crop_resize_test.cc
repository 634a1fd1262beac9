#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::crop_resize_test {

Tensor image() {
  return f32({1, 1, 4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
}

Try cropped(Opset opset, int size) {
  return Try("crop_resize", opset)
      .with("x", image())
      .with("target_height", size)
      .with("target_width", size)
      .with("sampling_mode", "ALIGN_CORNERS");
}

TEST(CropResize, ResizesRegionsOfInterest) {
  const auto crop = [](const std::vector<double>& box, int size) {
    return cropped(Opset::kIos15, size).with("roi", f32({1, 1, 4, 1, 1}, box)).numbers();
  };
  expect_near(crop({1, 1, 2, 2}, 2), {6, 7, 10, 11});
  expect_near(crop({1, 1, 2, 2}, 1), {8.5});
  expect_near(crop({2, 2, 1, 1}, 2), {11, 10, 7, 6});
  expect_near(cropped(Opset::kIos16, 2)
                  .with("roi", f32({1, 1, 5, 1, 1}, {0, 0, 0, 1.0 / 3, 1.0 / 3}))
                  .with("normalized_coordinates", true)
                  .numbers(),
              {1, 2, 5, 6});
}

TEST(CropResize, TakesBoxesFromIos17OnAndPadsOutside) {
  expect_near(
      cropped(Opset::kIos17, 2)
          .with("boxes", f32({3, 4}, {0.1, 0.3, 1.3, 1.0, 0.5, 1.8, 1.0, 0.3, 0.0, 0.4, 0.6, 0.7}))
          .with("box_indices", i32({3}, {0, 0, 0}))
          .with("normalized_coordinates", true)
          .with("pad_value", 10.0)
          .numbers(),
      {3.1, 5.2, 10, 10, 10, 7.9, 10, 13.9, 2.2, 3.1, 9.4, 10.3}, 1e-5);
}

TEST(CropResize, ReadsCentersAndSizes) {
  expect_near(cropped(Opset::kIos17, 2)
                  .with("boxes", f32({1, 4}, {1.5, 1, 1, 2}))
                  .with("box_coordinate_mode", "CENTER_SIZE_WIDTH_FIRST")
                  .numbers(),
              {2, 3, 10, 11});
}

TEST(CropResize, InfersByOpsetAndRefusesWhatDoesNotFit) {
  const auto type = [](Opset opset, std::string_view parameter, Shape shape) {
    return Try("crop_resize", opset)
        .with("x", f32_type({2, 3, 8, 8}))
        .with(parameter, f32_type(std::move(shape)));
  };
  EXPECT_EQ(type(Opset::kIos16, "roi", {kUnknown, 1, 4, 1, 1}).type(),
            f32_type({kUnknown, 2, 3, 1, 1}));
  EXPECT_EQ(type(Opset::kIos16, "roi", {6, 1, 5, 1, 1}).type(), f32_type({6, 1, 3, 1, 1}));
  EXPECT_EQ(type(Opset::kIos17, "boxes", {2, 4}).type(), f32_type({2, 3, 1, 1}));
  EXPECT_EQ(type(Opset::kIos17, "boxes", {6, 4}).refusal(),
            "op 'it' (crop_resize): has 6 boxes for 2 images, but no box_indices");
  EXPECT_EQ(type(Opset::kIos17, "roi", {6, 1, 5, 1, 1}).refusal(),
            "op 'it' (crop_resize): parameter 'roi' exists up to ios16, but the function speaks "
            "ios17");
  EXPECT_EQ(Try(type(Opset::kIos17, "boxes", {2, 4})).with("box_coordinate_mode", "YX").refusal(),
            "op 'it' (crop_resize): parameter 'box_coordinate_mode' is 'YX'; allowed: "
            "CORNERS_HEIGHT_FIRST, CORNERS_WIDTH_FIRST, CENTER_SIZE_HEIGHT_FIRST, "
            "CENTER_SIZE_WIDTH_FIRST");
}

}  // namespace anemone::mil::op::crop_resize_test
