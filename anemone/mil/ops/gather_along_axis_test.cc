#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::gather_along_axis_test {

TEST(GatherAlongAxis, TakesOneElementForEachIndex) {
  EXPECT_EQ(Try("gather_along_axis")
                .with("x", f16({2, 3}, {1, 2, 3, 4, 5, 6}))
                .with("indices", i32({2, 2}, {2, 0, 1, -1}))
                .with("axis", 1)
                .value(),
            f16({2, 2}, {3, 1, 5, 6}));
}

TEST(GatherAlongAxis, InfersUnknownExtents) {
  EXPECT_EQ(Try("gather_along_axis")
                .with("x", f16_type({kUnknown, 3}))
                .with("indices", i32_type({2, kUnknown}))
                .with("axis", 1)
                .type(),
            f16_type({2, kUnknown}));
}

TEST(GatherAlongAxis, RefusesIndicesThatDoNotFit) {
  const Try it = Try("gather_along_axis").with("x", f16_type({2, 3})).with("axis", 1);
  EXPECT_EQ(Try(it).with("indices", i32_type({3, 3})).refusal(),
            "op 'it' (gather_along_axis): parameter 'indices' has shape [3, 3]; expected [2, 3]");
  EXPECT_EQ(Try(it).with("indices", i32({2, 1}, {0, 3})).with("validate_indices", true).refusal(),
            "op 'it' (gather_along_axis): parameter 'indices' holds 3; allowed: 0 to 2");
}

}  // namespace anemone::mil::op::gather_along_axis_test
