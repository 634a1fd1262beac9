#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::constexpr_lut_to_sparse_test {

TEST(ConstexprLutToSparse, LooksUpWhatTheMaskKeeps) {
  const auto outputs = Try("constexpr_lut_to_sparse")
                           .with("indices_mask", ints(DType::kU1, {2, 2}, {1, 0, 1, 1}))
                           .with("indices_nonzero_data", ints(DType::kU1, {3}, {1, 0, 1}))
                           .with("lut", f16({2, 1, 2, 1}, {1, 2, 30, 40}))
                           .values();
  EXPECT_EQ(outputs,
            (std::vector<Tensor>{ints(DType::kU1, {2, 2}, {1, 0, 1, 1}), f16({3}, {2, 30, 40})}));
}

TEST(ConstexprLutToSparse, SpreadsMaskAndVectors) {
  const auto outputs = Try("constexpr_lut_to_sparse")
                           .with("indices_mask", ints(DType::kU1, {1, 2}, {1, 0}))
                           .with("indices_nonzero_data", ints(DType::kU1, {1}, {1}))
                           .with("lut", f16({1, 1, 2, 2}, {1, 2, 30, 40}))
                           .with("vector_axis", 0)
                           .values();
  EXPECT_EQ(outputs,
            (std::vector<Tensor>{ints(DType::kU1, {2, 2}, {1, 0, 1, 0}), f16({2}, {30, 40})}));
}

TEST(ConstexprLutToSparse, RefusesAMaskOfAnotherCount) {
  EXPECT_EQ(Try("constexpr_lut_to_sparse")
                .with("indices_mask", ints(DType::kU1, {2}, {1, 1}))
                .with("indices_nonzero_data", ints(DType::kU1, {1}, {1}))
                .with("lut", f16({1, 2, 1}, {1, 2}))
                .refusal(),
            "op 'it' (constexpr_lut_to_sparse): parameter 'indices_nonzero_data' has 1 values, but "
            "the mask has 2 bits set");
}

}  // namespace anemone::mil::op::constexpr_lut_to_sparse_test
