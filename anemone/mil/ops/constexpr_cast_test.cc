#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::constexpr_cast_test {

TEST(ConstexprCast, WidensHalves) {
  EXPECT_EQ(Try("constexpr_cast")
                .with("source_val", f16({2}, {0.1, -3}))
                .with("output_dtype", "fp32")
                .value(),
            f32({2}, {0.0999755859375, -3}));
}

TEST(ConstexprCast, RefusesOtherDtypes) {
  EXPECT_EQ(Try("constexpr_cast")
                .with("source_val", f16({2}, {0.1, -3}))
                .with("output_dtype", "fp16")
                .refusal(),
            "op 'it' (constexpr_cast): parameter 'output_dtype' is 'fp16'; allowed: fp32");
  EXPECT_EQ(Try("constexpr_cast")
                .with("source_val", f32({1}, {1}))
                .with("output_dtype", "fp32")
                .refusal(),
            "op 'it' (constexpr_cast): parameter 'source_val' is fp32; allowed: fp16");
}

}  // namespace anemone::mil::op::constexpr_cast_test
