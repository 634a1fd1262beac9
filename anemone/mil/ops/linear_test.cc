#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::linear_test {

TEST(Linear, MultipliesByTheTransposedWeight) {
  const Tensor y = Try("linear")
                       .with("x", f16({2, 1, 2}, {1, 2, 3, 4}))
                       .with("weight", f16({3, 2}, {1, 0, 0, 1, 1, -1}))
                       .with("bias", f16({3}, {0, 10, 0.5}))
                       .value();
  EXPECT_EQ(y, f16({2, 1, 3}, {1, 12, -0.5, 3, 14, -0.5}));
}

TEST(Linear, RoundsOnce) {
  // 2048 + 1 + 1 is 2050 in double, but 2048 + 1 stays 2048 in fp16.
  EXPECT_EQ(Try("linear")
                .with("x", f16({3}, {2048, 1, 1}))
                .with("weight", f16({1, 3}, {1, 1, 1}))
                .value(),
            f16({1}, {2050}));
}

TEST(Linear, TakesTheInputsDtypeFromIos17On) {
  const auto mixed = [](Opset opset) {
    return Try("linear", opset)
        .with("x", f16_type({kUnknown, 2}))
        .with("weight", f32({3, 2}, {1, 0, 0, 1, 1, -1}));
  };
  EXPECT_EQ(mixed(Opset::kIos17).type(), f16_type({kUnknown, 3}));
  EXPECT_EQ(mixed(Opset::kIos16).refusal(),
            "op 'it' (linear): parameter 'weight' is fp32, but another of its kind is fp16");
}

TEST(Linear, RefusesShapesThatDoNotMeet) {
  const Tensor weight = f32({3, 2}, {1, 0, 0, 1, 1, -1});
  EXPECT_EQ(Try("linear").with("x", f32_type({4, 3})).with("weight", weight).refusal(),
            "op 'it' (linear): parameter 'x' has shape [4, 3], whose last extent is not that of "
            "weight, [3, 2]");
  EXPECT_EQ(Try("linear")
                .with("x", f32_type({4, 2}))
                .with("weight", weight)
                .with("bias", f32({2}, {0, 0}))
                .refusal(),
            "op 'it' (linear): parameter 'bias' has shape [2]; expected [3]");
  EXPECT_EQ(Try("linear").with("x", f32_type({2})).with("weight", f32_type({3, 2})).refusal(),
            "op 'it' (linear): parameter 'weight' must be a constant");
}

}  // namespace anemone::mil::op::linear_test
