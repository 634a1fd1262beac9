#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::affine_test {

Try affine(Try it) {
  return it.with("output_height", 2)
      .with("output_width", 2)
      .with("sampling_mode", "bilinear")
      .with("padding_mode", "constant")
      .with("padding_value", 0.0)
      .with("coordinates_mode", "normalized_minus_one_to_one")
      .with("align_corners", true);
}

TEST(Affine, MovesTurnsAndShrinks) {
  const auto moved = [](const std::vector<double>& matrix) {
    return affine(Try("affine")
                      .with("x", f32({1, 1, 2, 2}, {1, 2, 3, 4}))
                      .with("transform_matrix", f32({1, 6}, matrix)))
        .numbers();
  };
  expect_near(moved({1, 0, 0, 0, 1, 0}), {1, 2, 3, 4});
  expect_near(moved({0, 1, 0, 1, 0, 0}), {1, 3, 2, 4});      // transposed
  expect_near(moved({-1, 0, 0, 0, 1, 0}), {2, 1, 4, 3});     // mirrored
  expect_near(moved({1, 0, 1, 0, 1, 0}), {1.5, 1, 3.5, 2});  // half a pixel to the right
  expect_near(moved({0, 0, 0, 0, 0, 0}), {2.5, 2.5, 2.5, 2.5});
}

TEST(Affine, TakesOneMatrixForEachImage) {
  expect_near(
      affine(Try("affine")
                 .with("x", f32({2, 1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
                 .with("transform_matrix", f32({2, 6}, {1, 0, 0, 0, 1, 0, -1, 0, 0, 0, 1, 0})))
          .numbers(),
      {1, 2, 3, 4, 6, 5, 8, 7});
}

TEST(Affine, TakesUnknownExtentsAndRefusesWhatDoesNotFit) {
  const Try it = Try("affine").with("x", f32_type({kUnknown, 3, 8, 8}));
  EXPECT_EQ(affine(Try(it).with("transform_matrix", f32_type({1, 6}))).type(),
            f32_type({kUnknown, 3, 2, 2}));
  EXPECT_EQ(affine(Try(it).with("transform_matrix", f32_type({1, 5}))).refusal(),
            "op 'it' (affine): parameter 'transform_matrix' has shape [1, 5]; expected [1, 6] or "
            "one row for each image");
}

}  // namespace anemone::mil::op::affine_test
