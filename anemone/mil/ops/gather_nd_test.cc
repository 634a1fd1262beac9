#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::gather_nd_test {

TEST(GatherNd, TakesElementsOrRows) {
  const Tensor x = f16({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Try("gather_nd").with("x", x).with("indices", i32({2, 2}, {0, 2, 1, 0})).value(),
            f16({2}, {3, 4}));
  EXPECT_EQ(Try("gather_nd").with("x", x).with("indices", i32({1, 1}, {-1})).value(),
            f16({1, 3}, {4, 5, 6}));
}

TEST(GatherNd, KeepsBatchesApart) {
  EXPECT_EQ(Try("gather_nd")
                .with("x", i32({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
                .with("indices", i32({2, 1}, {1, 0}))
                .with("batch_dims", 1)
                .value(),
            i32({2, 2}, {3, 4, 5, 6}));
}

TEST(GatherNd, InfersUnknownExtents) {
  EXPECT_EQ(Try("gather_nd")
                .with("x", f16_type({kUnknown, 3, 4}))
                .with("indices", i32_type({kUnknown, 2}))
                .type(),
            f16_type({kUnknown, 4}));
}

TEST(GatherNd, RefusesIndicesThatDoNotFit) {
  EXPECT_EQ(
      Try("gather_nd").with("x", f16_type({2, 3})).with("indices", i32_type({4, 3})).refusal(),
      "op 'it' (gather_nd): takes indices of 3 axes behind 0 batch axes of x, [2, 3]");
  EXPECT_EQ(Try("gather_nd")
                .with("x", f16({1}, {1}))
                .with("indices", i32({1, 1}, {1}))
                .with("validate_indices", true)
                .refusal(),
            "op 'it' (gather_nd): parameter 'indices' holds 1; allowed: 0 to 0");
}

}  // namespace anemone::mil::op::gather_nd_test
