#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::fill_test {

TEST(Fill, HoldsItsValueEverywhere) {
  const Tensor shape = i32({2}, {1, 3});
  EXPECT_EQ(Try("fill").with("shape", shape).with("value", f16({}, {0.5})).value(),
            f16({1, 3}, {0.5, 0.5, 0.5}));
  EXPECT_EQ(Try("fill").with("shape", shape).with("value", true).value(), flags({1, 3}, {1, 1, 1}));
  EXPECT_EQ(Try("fill").with("shape", shape).value(), f32({1, 3}, {0, 0, 0}));
}

TEST(Fill, InfersUnknownExtentsAndRanks) {
  EXPECT_EQ(Try("fill").with("shape", i32_type({2})).with("value", 7).type(),
            i32_type({kUnknown, kUnknown}));
  EXPECT_FALSE(Try("fill").with("shape", i32_type({kUnknown})).type().has_rank);
}

TEST(Fill, RefusesShapesThatAreNone) {
  EXPECT_EQ(Try("fill").with("shape", i32({1}, {-1})).refusal(),
            "op 'it' (fill): parameter 'shape' holds -1");
  EXPECT_EQ(Try("fill").with("shape", i32({2}, {2000000000, 2000000000})).refusal(),
            "op 'it' (fill): the output is tensor<fp32, [2000000000, 2000000000]>, more elements "
            "than any memory holds");
}

}  // namespace anemone::mil::op::fill_test
