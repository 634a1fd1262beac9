#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::matmul_test {

TEST(Matmul, BroadcastsBatches) {
  const Tensor z = Try("matmul")
                       .with("x", f32({2, 1, 2}, {1, 2, 3, 4}))
                       .with("y", f32({2, 2}, {1, 0, 1, -1}))
                       .value();
  EXPECT_EQ(z, f32({2, 1, 2}, {3, -2, 7, -4}));
}

TEST(Matmul, TransposesEitherOperand) {
  const Tensor x = f16({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor y = f16({2, 3}, {1, 0, 1, 0, 1, 1});
  EXPECT_EQ(Try("matmul").with("x", x).with("y", y).with("transpose_y", true).value(),
            f16({2, 2}, {4, 5, 10, 11}));
  EXPECT_EQ(Try("matmul").with("x", x).with("y", y).with("transpose_x", true).value(),
            f16({3, 3}, {1, 4, 5, 2, 5, 7, 3, 6, 9}));
}

TEST(Matmul, TakesVectorsAsRowAndColumn) {
  const Tensor v = f32({2}, {1, 2});
  const Tensor m = f32({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(Try("matmul").with("x", v).with("y", m).value(), f32({2}, {7, 10}));
  EXPECT_EQ(Try("matmul").with("x", m).with("y", v).value(), f32({2}, {5, 11}));
  EXPECT_EQ(Try("matmul").with("x", v).with("y", v).value(), f32({}, {5}));
}

TEST(Matmul, TakesMixedDtypesFromIos17On) {
  const auto mixed = [](Opset opset) {
    return Try("matmul", opset)
        .with("x", f16_type({kUnknown, 4, 2}))
        .with("y", f32({2, 1}, {1, 1}));
  };
  EXPECT_EQ(mixed(Opset::kIos17).type(), f16_type({kUnknown, 4, 1}));
  EXPECT_EQ(mixed(Opset::kIos16).refusal(),
            "op 'it' (matmul): parameter 'y' is fp32, but another of its kind is fp16");
}

TEST(Matmul, RefusesShapesThatDoNotMeet) {
  EXPECT_EQ(Try("matmul").with("x", f32_type({2, 3})).with("y", f32_type({2, 3})).refusal(),
            "op 'it' (matmul): cannot multiply x, [2, 3], with y, [2, 3]");
  EXPECT_EQ(Try("matmul")
                .with("x", f32_type({2, 3, 3}))
                .with("y", f32_type({5, 3, 3}))
                .with("transpose_y", true)
                .refusal(),
            "op 'it' (matmul): cannot multiply x, [2, 3, 3], with y, [5, 3, 3] transposed");
}

}  // namespace anemone::mil::op::matmul_test
