#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::constexpr_blockwise_shift_scale_test {

TEST(ConstexprBlockwiseShiftScale, ScalesEachBlock) {
  const Try it = Try("constexpr_blockwise_shift_scale")
                     .with("data", ints(DType::kI4, {2, 4}, {-8, 7, 1, 2, 3, 4, 5, 6}))
                     .with("scale", f16({1, 2}, {0.5, 10}));
  EXPECT_EQ(it.value(), f16({2, 4}, {-4, 3.5, 10, 20, 1.5, 2, 50, 60}));
  EXPECT_EQ(Try(it).with("offset", ints(DType::kI4, {1, 2}, {-2, 1})).value(),
            f16({2, 4}, {-3, 4.5, 0, 10, 2.5, 3, 40, 50}));
  EXPECT_EQ(Try(it).with("offset", f16({1, 2}, {0.5, 0})).value(),
            f16({2, 4}, {-4.25, 3.25, 10, 20, 1.25, 1.75, 50, 60}));
}

TEST(ConstexprBlockwiseShiftScale, TakesTheScalesDtype) {
  EXPECT_EQ(Try("constexpr_blockwise_shift_scale")
                .with("data", ints(DType::kU8, {2}, {1, 2}))
                .with("scale", f32({1}, {0.5}))
                .type(),
            f32_type({2}));
}

TEST(ConstexprBlockwiseShiftScale, RefusesBlocksThatDoNotFit) {
  const Try it =
      Try("constexpr_blockwise_shift_scale").with("data", ints(DType::kU4, {1, 4}, {0, 1, 2, 3}));
  EXPECT_EQ(Try(it).with("scale", f16({1, 3}, {1, 1, 1})).refusal(),
            "op 'it' (constexpr_blockwise_shift_scale): parameter 'scale' has shape [1, 3], which "
            "does not divide that of the data, [1, 4]");
  EXPECT_EQ(Try(it)
                .with("scale", f16({1, 2}, {1, 1}))
                .with("offset", ints(DType::kU4, {1, 1}, {1}))
                .refusal(),
            "op 'it' (constexpr_blockwise_shift_scale): parameter 'offset' has shape [1, 1]; "
            "expected [1, 2]");
  EXPECT_EQ(Try(it)
                .with("scale", f16({1, 1}, {1}))
                .with("offset", ints(DType::kI8, {1, 1}, {1}))
                .refusal(),
            "op 'it' (constexpr_blockwise_shift_scale): parameter 'offset' is int8; allowed: uint4 "
            "(as the data), fp16, fp32");
}

}  // namespace anemone::mil::op::constexpr_blockwise_shift_scale_test
