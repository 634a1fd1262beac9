#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::constexpr_lut_to_dense_test {

TEST(ConstexprLutToDense, LooksUpEachGroupInItsOwnTable) {
  EXPECT_EQ(Try("constexpr_lut_to_dense")
                .with("indices", ints(DType::kU1, {4, 2}, {0, 1, 1, 1, 0, 1, 0, 0}))
                .with("lut", f16({2, 1, 2, 1}, {1, 2, 30, 40}))
                .value(),
            f16({4, 2}, {1, 2, 2, 2, 30, 40, 30, 30}));
}

TEST(ConstexprLutToDense, SpreadsVectorsOverTheirAxis) {
  const Tensor lut = f16({1, 1, 2, 2}, {1, 2, 30, 40});
  const Try it = Try("constexpr_lut_to_dense")
                     .with("indices", ints(DType::kU1, {1, 2}, {1, 0}))
                     .with("lut", lut);
  EXPECT_EQ(Try(it).with("vector_axis", 0).value(), f16({2, 2}, {30, 1, 40, 2}));
  EXPECT_EQ(Try(it).with("vector_axis", -1).value(), f16({1, 4}, {30, 40, 1, 2}));
}

TEST(ConstexprLutToDense, UnpacksBitsBeforeIos18) {
  // Elements 0, 2, 3, 1, 3 of two bits, least significant first.
  EXPECT_EQ(Try("constexpr_lut_to_dense", Opset::kIos16)
                .with("indices", ints(DType::kU8, {2}, {0b01111000, 0b11}))
                .with("lut", ints(DType::kI8, {4}, {-1, 10, 20, 30}))
                .with("shape", ints(DType::kU32, {2}, {1, 5}))
                .value(),
            ints(DType::kI8, {1, 5}, {-1, 20, 30, 10, 30}));
}

TEST(ConstexprLutToDense, RefusesTablesThatDoNotFit) {
  const auto refusal = [](Shape lut) {
    Tensor values = f16(lut, std::vector<double>(static_cast<std::size_t>(element_count(lut))));
    return Try("constexpr_lut_to_dense")
        .with("indices", ints(DType::kU2, {3, 2}, {0, 1, 2, 3, 0, 1}))
        .with("lut", std::move(values))
        .refusal();
  };
  const std::string it = "op 'it' (constexpr_lut_to_dense): parameter 'lut' has shape ";
  EXPECT_EQ(refusal({1, 4, 1}),
            it + "[1, 4, 1], which is not two axes more than the indices', [3, 2]");
  EXPECT_EQ(refusal({2, 1, 4, 1}),
            it + "[2, 1, 4, 1], which does not divide the indices', [3, 2], along axis 0");
  EXPECT_EQ(refusal({1, 1, 8, 1}),
            it + "[1, 1, 8, 1], but indices of uint2 choose among 4 entries");
  EXPECT_EQ(refusal({1, 1, 4, 2}),
            it + "[1, 1, 4, 2], whose entries are vectors, but 'vector_axis' is not given");
  EXPECT_EQ(Try("constexpr_lut_to_dense", Opset::kIos16)
                .with("indices", ints(DType::kU8, {1}, {0}))
                .with("lut", f16({16}, std::vector<double>(16)))
                .with("shape", ints(DType::kU32, {1}, {5}))
                .refusal(),
            "op 'it' (constexpr_lut_to_dense): parameter 'indices' has 1 bytes; 3 hold the uint4 "
            "elements of [5]");
}

}  // namespace anemone::mil::op::constexpr_lut_to_dense_test
