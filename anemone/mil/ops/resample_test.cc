#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::resample_test {

Try resample(Tensor coordinates, const char* sampling, const char* padding, const char* mode,
             bool align) {
  return Try("resample")
      .with("x", f32({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}))
      .with("coordinates", std::move(coordinates))
      .with("sampling_mode", sampling)
      .with("padding_mode", padding)
      .with("padding_value", 9.0)
      .with("coordinates_mode", mode)
      .with("align_corners", align);
}

TEST(Resample, SamplesBetweenPixels) {
  const Tensor at = f32({1, 1, 3, 2}, {0.5, 0.5, 2, 1, -1, 0});
  expect_near(resample(at, "bilinear", "constant", "unnormalized", true).numbers(), {3, 6, 9});
  expect_near(resample(at, "nearest", "border", "unnormalized", true).numbers(), {1, 6, 1});
}

TEST(Resample, ReadsNormalizedCoordinates) {
  const Tensor corners = f32({1, 1, 2, 2}, {-1, -1, 1, 1});
  const char* const mode = "normalized_minus_one_to_one";
  expect_near(resample(corners, "bilinear", "border", mode, true).numbers(), {1, 6});
  expect_near(resample(corners, "bilinear", "constant", mode, false).numbers(),
              {(3 * 9 + 1) / 4.0, (3 * 9 + 6) / 4.0});
  expect_near(
      resample(f32({1, 1, 1, 2}, {0.5, 0.5}), "bilinear", "border", "normalized_zero_to_one", false)
          .numbers(),
      {3.5});
}

TEST(Resample, MirrorsWhatIsOutside) {
  const Tensor at = i32({1, 1, 4, 2}, {-1, 0, -2, 0, 3, 0, 5, 0});
  expect_near(resample(at, "nearest", "reflection", "unnormalized", true).numbers(), {2, 3, 2, 2});
  expect_near(resample(at, "nearest", "symmetric", "unnormalized", true).numbers(), {1, 2, 3, 1});
}

TEST(Resample, MirrorsBeforeItRounds) {
  const Tensor at = f32({1, 1, 2, 2}, {6.5, 0, 2.5, 0});
  expect_near(resample(at, "nearest", "symmetric", "unnormalized", true).numbers(), {1, 3});
  expect_near(resample(at, "nearest", "reflection", "unnormalized", true).numbers(), {3, 3});
}

TEST(Resample, InfersUnknownExtentsAndRefusesWhatDoesNotFit) {
  const auto it = [](Opset opset, Type coordinates) {
    return Try("resample", opset)
        .with("x", f16_type({kUnknown, 3, 8, 8}))
        .with("coordinates", std::move(coordinates))
        .with("sampling_mode", "bilinear")
        .with("padding_mode", "constant")
        .with("padding_value", f16({}, {0}))
        .with("coordinates_mode", "unnormalized")
        .with("align_corners", true);
  };
  EXPECT_EQ(it(Opset::kIos16, f16_type({kUnknown, 4, kUnknown, 2})).type(),
            f16_type({kUnknown, 3, 4, kUnknown}));
  EXPECT_EQ(it(Opset::kIos15, f16_type({1, 4, 5, 2})).refusal(),
            "op 'it' (resample): parameter 'coordinates' is fp16, which is allowed from ios16 on");
  EXPECT_EQ(it(Opset::kIos18, f16_type({1, 4, 5, 3})).refusal(),
            "op 'it' (resample): parameter 'coordinates' has shape [1, 4, 5, 3]; expected [?, 4, "
            "5, 2]");
}

}  // namespace anemone::mil::op::resample_test
