#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::conv_test {

TEST(Conv, IsALinearMapWhereTheKernelIsOneByOne) {
  EXPECT_EQ(Try("conv")
                .with("x", f16({1, 2, 1, 3}, {1, 2, 3, 10, 20, 30}))
                .with("weight", f16({2, 2, 1, 1}, {1, 1, 2, 0}))
                .with("bias", f16({2}, {0, 1}))
                .value(),
            f16({1, 2, 1, 3}, {11, 22, 33, 3, 5, 7}));
}

TEST(Conv, StridesDilatesAndPads) {
  const Tensor x = f32({1, 1, 5}, {1, 2, 3, 4, 5});
  const Tensor weight = f32({1, 1, 2}, {1, 10});
  EXPECT_EQ(Try("conv")
                .with("x", x)
                .with("weight", weight)
                .with("strides", i32({1}, {2}))
                .with("dilations", i32({1}, {2}))
                .with("pad_type", "custom")
                .with("pad", i32({2}, {1, 0}))
                .value(),
            f32({1, 1, 2}, {20, 42}));
  EXPECT_EQ(Try("conv").with("x", x).with("weight", weight).with("pad_type", "same").value(),
            f32({1, 1, 5}, {21, 32, 43, 54, 5}));
  EXPECT_EQ(Try("conv").with("x", x).with("weight", weight).with("pad_type", "same_lower").value(),
            f32({1, 1, 5}, {10, 21, 32, 43, 54}));
}

TEST(Conv, KeepsGroupsApart) {
  EXPECT_EQ(Try("conv")
                .with("x", f32({1, 2, 1, 2}, {1, 2, 10, 20}))
                .with("weight", f32({2, 1, 1, 1}, {3, 5}))
                .with("groups", 2)
                .value(),
            f32({1, 2, 1, 2}, {3, 6, 50, 100}));
}

TEST(Conv, SlidesOverThreeSpatialAxes) {
  EXPECT_EQ(Try("conv")
                .with("x", f32({1, 1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
                .with("weight", f32({1, 1, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1}))
                .value(),
            f32({1, 1, 1, 1, 1}, {36}));
}

TEST(Conv, InfersUnknownExtents) {
  EXPECT_EQ(Try("conv")
                .with("x", f16_type({kUnknown, 4, kUnknown, 8}))
                .with("weight", f16_type({6, 4, 3, 3}))
                .with("strides", i32({2}, {1, 2}))
                .type(),
            f16_type({kUnknown, 6, kUnknown, 3}));
}

TEST(Conv, RefusesWhatDoesNotFit) {
  const auto refusal = [](Shape x, Shape weight, std::int64_t groups) {
    return Try("conv")
        .with("x", f16_type(std::move(x)))
        .with("weight", f16_type(std::move(weight)))
        .with("groups", groups)
        .refusal();
  };
  EXPECT_EQ(refusal({1, 4, 8}, {2, 3, 1}, 1),
            "op 'it' (conv): parameter 'x' has 4 channels; expected 1 groups of 3");
  EXPECT_EQ(refusal({1, 4, 8}, {3, 2, 1}, 2),
            "op 'it' (conv): parameter 'groups' is 2, which does not divide the 3 output channels");
  EXPECT_EQ(refusal({1, 4, 2}, {2, 4, 3}, 1),
            "op 'it' (conv): a window of 3 does not fit spatial axis 0, which has 2 elements and 0 "
            "of padding");
  EXPECT_EQ(Try("conv", Opset::kIos15)
                .with("x", f16_type({1, 1, 4}))
                .with("weight", f16_type({1, 1, 2}))
                .with("pad_type", "same_lower")
                .refusal(),
            "op 'it' (conv): parameter 'pad_type' is 'same_lower', which exists from ios16 on");
}

}  // namespace anemone::mil::op::conv_test
