#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::dequantize_test {

TEST(Dequantize, ScalesFromTheZeroPoint) {
  EXPECT_EQ(Try("dequantize")
                .with("input", ints(DType::kI8, {2, 2}, {-128, 0, 1, 127}))
                .with("scale", f16({2}, {0.5, 2}))
                .with("zero_point", ints(DType::kI8, {2}, {0, 10}))
                .with("axis", 0)
                .value(),
            f16({2, 2}, {-64, 0, -18, 234}));
}

TEST(Dequantize, TakesTheScalesDtypeAndRefusesWhatDoesNotFit) {
  const Try it = Try("dequantize").with("input", Type::tensor(DType::kU8, {kUnknown, 3}));
  EXPECT_EQ(Try(it).with("scale", 0.5).type(), f32_type({kUnknown, 3}));
  EXPECT_EQ(Try(it).with("scale", 0.5).with("axis", 0).refusal(),
            "op 'it' (dequantize): has one scale, but also an axis");
  EXPECT_EQ(Try(it).with("scale", f32({2}, {1, 1})).with("axis", 1).refusal(),
            "op 'it' (dequantize): parameter 'scale' has shape [2]; expected [3]");
  EXPECT_EQ(
      Try(it).with("scale", 0.5).with("zero_point", ints(DType::kI8, {}, {0})).refusal(),
      "op 'it' (dequantize): parameter 'zero_point' is int8, but another of its kind is uint8");
}

}  // namespace anemone::mil::op::dequantize_test
