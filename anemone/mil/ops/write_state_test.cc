#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::write_state_test {

TEST(WriteState, TakesWhatTheStateHoldsAndGivesNothing) {
  EXPECT_TRUE(Try("write_state")
                  .with("input", Type::state(DType::kF16, {2, 8}))
                  .with("data", f16_type({2, kUnknown}))
                  .types()
                  .empty());
  EXPECT_EQ(find_op("write_state")->effect, Effect::kWritesState);
}

TEST(WriteState, RefusesAnotherType) {
  EXPECT_EQ(Try("write_state")
                .with("input", Type::state(DType::kF16, {2, 8}))
                .with("data", f32_type({2, 8}))
                .refusal(),
            "op 'it' (write_state): parameter 'data' is tensor<fp32, [2, 8]>, but the state holds "
            "tensor<fp16, [2, 8]>");
}

}  // namespace anemone::mil::op::write_state_test
