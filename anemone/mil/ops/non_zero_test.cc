#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::non_zero_test {

TEST(NonZero, ListsIndicesInRowMajorOrder) {
  EXPECT_EQ(Try("non_zero").with("x", f16({2, 3}, {0, 1, 0, -2, 0, 3})).value(),
            i32({3, 2}, {0, 1, 1, 0, 1, 2}));
  EXPECT_EQ(Try("non_zero").with("x", flags({2}, {0, 0})).value(), i32({0, 1}, {}));
}

TEST(NonZero, KnowsItsCountOnlyFromTheValue) {
  EXPECT_EQ(Try("non_zero").with("x", f16_type({2, 3})).type(), i32_type({kUnknown, 2}));
  EXPECT_EQ(Try("non_zero").with("x", Type::tensor(DType::kI8, {2})).refusal(),
            "op 'it' (non_zero): parameter 'x' is int8; allowed: bool, fp16, fp32, int32");
}

}  // namespace anemone::mil::op::non_zero_test
