#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::constexpr_affine_dequantize_test {

TEST(ConstexprAffineDequantize, ScalesFromTheZeroPoint) {
  EXPECT_EQ(Try("constexpr_affine_dequantize")
                .with("quantized_data", ints(DType::kU8, {2, 2}, {0, 255, 7, 8}))
                .with("zero_point", ints(DType::kU8, {}, {8}))
                .with("scale", f16({}, {0.5}))
                .with("axis", 0)
                .value(),
            f16({2, 2}, {-4, 123.5, -0.5, 0}));
}

TEST(ConstexprAffineDequantize, TakesVectorsAlongItsAxis) {
  EXPECT_EQ(Try("constexpr_affine_dequantize")
                .with("quantized_data", ints(DType::kI8, {2, 2}, {1, 2, -3, 4}))
                .with("zero_point", f32({2}, {0, 1.5}))
                .with("scale", f32({2}, {1, 10}))
                .with("axis", -1)
                .value(),
            f32({2, 2}, {1, 5, -3, 25}));
}

TEST(ConstexprAffineDequantize, RefusesVectorsOfAnotherLength) {
  const Try it = Try("constexpr_affine_dequantize")
                     .with("quantized_data", ints(DType::kI8, {2, 2}, {1, 2, -3, 4}))
                     .with("zero_point", ints(DType::kI8, {}, {0}))
                     .with("scale", f32({3}, {1, 10, 100}));
  EXPECT_EQ(Try(it).with("axis", 1).refusal(),
            "op 'it' (constexpr_affine_dequantize): parameter 'scale' has shape [3]; expected [2]");
  EXPECT_EQ(Try(it).with("axis", 2).refusal(),
            "op 'it' (constexpr_affine_dequantize): parameter 'axis' is 2; allowed: -2 to 1");
}

}  // namespace anemone::mil::op::constexpr_affine_dequantize_test
