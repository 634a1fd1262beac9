#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::gather_test {

TEST(Gather, TakesRowsOrColumns) {
  const Tensor x = f16({3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Try("gather").with("x", x).with("indices", i32({2}, {2, 0})).value(),
            f16({2, 2}, {5, 6, 1, 2}));
  EXPECT_EQ(
      Try("gather").with("x", x).with("indices", i32({1, 3}, {1, 1, 0})).with("axis", -1).value(),
      f16({3, 1, 3}, {2, 2, 1, 4, 4, 3, 6, 6, 5}));
  EXPECT_EQ(Try("gather").with("x", x).with("indices", i32({}, {1})).value(), f16({2}, {3, 4}));
}

TEST(Gather, KeepsBatchesApart) {
  EXPECT_EQ(Try("gather")
                .with("x", i32({2, 3}, {1, 2, 3, 4, 5, 6}))
                .with("indices", i32({2, 2}, {0, 2, 1, 1}))
                .with("axis", 1)
                .with("batch_dims", 1)
                .value(),
            i32({2, 2}, {1, 3, 5, 5}));
}

TEST(Gather, CountsNegativeIndicesFromTheEndUnlessItValidates) {
  const Try it = Try("gather").with("x", f32({3}, {1, 2, 3})).with("indices", i32({1}, {-1}));
  EXPECT_EQ(it.value(), f32({1}, {3}));
  EXPECT_EQ(Try(it).with("validate_indices", true).refusal(),
            "op 'it' (gather): parameter 'indices' holds -1; allowed: 0 to 2");
}

TEST(Gather, InfersUnknownExtents) {
  EXPECT_EQ(Try("gather")
                .with("x", f16_type({100, kUnknown}))
                .with("indices", i32_type({1, kUnknown}))
                .with("axis", 0)
                .type(),
            f16_type({1, kUnknown, kUnknown}));
}

TEST(Gather, RefusesWhatOtherOpsetsOrShapesForbid) {
  const auto old = [](Opset opset) {
    return Try("gather", opset).with("x", f16_type({2, 3})).with("indices", i32_type({2}));
  };
  EXPECT_EQ(old(Opset::kIos16).with("validate_indices", false).refusal(),
            "op 'it' (gather): parameter 'validate_indices' exists from ios17 on, but the function "
            "speaks ios16");
  EXPECT_EQ(old(Opset::kIos16).with("batch_dims", 2).refusal(),
            "op 'it' (gather): parameter 'batch_dims' is 2; allowed: 0 to 1");
  EXPECT_EQ(old(Opset::kIos16).with("batch_dims", 1).refusal(),
            "op 'it' (gather): gathers along axis 0, one of the 1 batch axes");
}

}  // namespace anemone::mil::op::gather_test
