#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::conv_transpose_test {

TEST(ConvTranspose, SpreadsEachElementOverAWindow) {
  const Try it = Try("conv_transpose")
                     .with("x", f32({1, 1, 2}, {1, 10}))
                     .with("weight", f32({1, 1, 3}, {1, 2, 3}))
                     .with("strides", i32({1}, {2}));
  EXPECT_EQ(it.value(), f32({1, 1, 5}, {1, 2, 13, 20, 30}));
  EXPECT_EQ(Try(it).with("bias", f32({1}, {100})).value(),
            f32({1, 1, 5}, {101, 102, 113, 120, 130}));
  EXPECT_EQ(Try(it).with("pad_type", "custom").with("pad", i32({2}, {1, 1})).value(),
            f32({1, 1, 3}, {2, 13, 20}));
  EXPECT_EQ(Try(it).with("pad_type", "same").value(), f32({1, 1, 4}, {1, 2, 13, 20}));
}

TEST(ConvTranspose, KeepsGroupsApartAndDilates) {
  EXPECT_EQ(Try("conv_transpose")
                .with("x", f16({1, 2, 1}, {1, 10}))
                .with("weight", f16({2, 1, 2}, {1, 2, 3, 4}))
                .with("dilations", i32({1}, {2}))
                .with("groups", 2)
                .value(),
            f16({1, 2, 3}, {1, 0, 2, 30, 0, 40}));
}

TEST(ConvTranspose, TakesAnOutputShapeAndUnknownExtents) {
  const Try it =
      Try("conv_transpose").with("weight", f16_type({3, 4, 2})).with("strides", i32({1}, {2}));
  EXPECT_EQ(Try(it).with("x", f16_type({kUnknown, 3, kUnknown})).type(),
            f16_type({kUnknown, 4, kUnknown}));
  EXPECT_EQ(
      Try(it).with("x", f16_type({1, 3, 5})).with("output_shape", i32({3}, {1, 4, 11})).type(),
      f16_type({1, 4, 11}));
}

TEST(ConvTranspose, RefusesWhatDoesNotFit) {
  const Try it = Try("conv_transpose").with("weight", f16_type({3, 4, 2}));
  EXPECT_EQ(Try(it).with("x", f16_type({1, 2, 5})).refusal(),
            "op 'it' (conv_transpose): parameter 'x' has 2 channels; expected 3");
  EXPECT_EQ(Try(it).with("x", f16_type({1, 3, 5})).with("groups", 2).refusal(),
            "op 'it' (conv_transpose): parameter 'groups' is 2, which does not divide the 3 input "
            "channels");
  EXPECT_EQ(
      Try(it).with("x", f16_type({1, 3, 5})).with("output_shape", i32({3}, {1, 5, 11})).refusal(),
      "op 'it' (conv_transpose): parameter 'output_shape' is [1, 5, 11]; expected [1, 4] and "
      "1 spatial extents");
}

}  // namespace anemone::mil::op::conv_transpose_test
