#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::constexpr_sparse_to_dense_test {

TEST(ConstexprSparseToDense, PutsValuesWhereTheMaskIsSet) {
  EXPECT_EQ(Try("constexpr_sparse_to_dense")
                .with("nonzero_data", ints(DType::kI4, {3}, {-8, 7, 1}))
                .with("mask", ints(DType::kU1, {2, 3}, {0, 1, 0, 1, 0, 1}))
                .value(),
            ints(DType::kI4, {2, 3}, {0, -8, 0, 7, 0, 1}));
}

TEST(ConstexprSparseToDense, UnpacksItsMaskBeforeIos18) {
  EXPECT_EQ(Try("constexpr_sparse_to_dense", Opset::kIos17)
                .with("nonzero_data", f16({2}, {5, 6}))
                .with("mask", ints(DType::kU8, {1}, {0b01100}))
                .with("shape", ints(DType::kU32, {1}, {5}))
                .value(),
            f16({5}, {0, 0, 5, 6, 0}));
}

TEST(ConstexprSparseToDense, TakesAMaskThatAnotherOpMakes) {
  Call call(*find_op("constexpr_sparse_to_dense"), Opset::kIos18, "it");
  call.bind("nonzero_data", {{f16_type({3}), nullptr, true}});
  call.bind("mask", {{Type::tensor(DType::kU1, {2, 3}), nullptr, true}});
  EXPECT_EQ(checked_infer(call), (std::vector<Type>{f16_type({2, 3})}));
}

TEST(ConstexprSparseToDense, RefusesAMaskOfAnotherCount) {
  const auto refusal = [](std::int64_t mask) {
    return Try("constexpr_sparse_to_dense", Opset::kIos16)
        .with("nonzero_data", f16({2}, {5, 6}))
        .with("mask", ints(DType::kU8, {1}, {mask}))
        .with("shape", ints(DType::kU32, {1}, {5}))
        .refusal();
  };
  EXPECT_EQ(refusal(0b111),
            "op 'it' (constexpr_sparse_to_dense): parameter 'nonzero_data' has 2 values, but the "
            "mask has 3 bits set");
  EXPECT_EQ(refusal(0b100001),
            "op 'it' (constexpr_sparse_to_dense): the mask has bits set behind its last element");
  EXPECT_EQ(Try("constexpr_sparse_to_dense")
                .with("nonzero_data", f16({2}, {5, 6}))
                .with("mask", ints(DType::kU8, {2}, {1, 1}))
                .refusal(),
            "op 'it' (constexpr_sparse_to_dense): parameter 'mask' is uint8; allowed: uint1");
}

}  // namespace anemone::mil::op::constexpr_sparse_to_dense_test
