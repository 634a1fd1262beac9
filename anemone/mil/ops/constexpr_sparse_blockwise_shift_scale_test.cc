#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::constexpr_sparse_blockwise_shift_scale_test {

TEST(ConstexprSparseBlockwiseShiftScale, ScalesWhatTheMaskKeeps) {
  const Tensor mask = ints(DType::kU1, {2, 2}, {1, 0, 1, 1});
  const auto outputs = Try("constexpr_sparse_blockwise_shift_scale")
                           .with("data_mask", mask)
                           .with("nonzero_data", ints(DType::kI8, {3}, {3, -4, 5}))
                           .with("scale", f16({2, 1}, {2, 0.5}))
                           .with("offset", ints(DType::kI8, {2, 1}, {1, 0}))
                           .values();
  EXPECT_EQ(outputs, (std::vector<Tensor>{mask, f16({3}, {4, -2, 2.5})}));
}

TEST(ConstexprSparseBlockwiseShiftScale, RefusesWhatDoesNotFit) {
  const Try it = Try("constexpr_sparse_blockwise_shift_scale")
                     .with("data_mask", ints(DType::kU1, {2, 2}, {1, 0, 1, 1}));
  EXPECT_EQ(Try(it)
                .with("nonzero_data", ints(DType::kI8, {2}, {3, -4}))
                .with("scale", f16({1, 1}, {2}))
                .refusal(),
            "op 'it' (constexpr_sparse_blockwise_shift_scale): parameter 'nonzero_data' has 2 "
            "values, but the mask has 3 bits set");
  EXPECT_EQ(Try(it)
                .with("nonzero_data", ints(DType::kI8, {3}, {3, -4, 5}))
                .with("scale", f16({1}, {2}))
                .refusal(),
            "op 'it' (constexpr_sparse_blockwise_shift_scale): parameter 'scale' has shape [1], "
            "which does not divide that of the data, [2, 2]");
}

}  // namespace anemone::mil::op::constexpr_sparse_blockwise_shift_scale_test
