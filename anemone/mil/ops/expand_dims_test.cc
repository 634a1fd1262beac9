#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::expand_dims_test {

TEST(ExpandDims, PutsInAxesOfOne) {
  EXPECT_EQ(Try("expand_dims")
                .with("x", f16({2, 2}, {1, 2, 3, 4}))
                .with("axes", i32({2}, {-1, 0}))
                .value(),
            f16({1, 2, 2, 1}, {1, 2, 3, 4}));
  EXPECT_EQ(Try("expand_dims").with("x", i32({}, {7})).with("axes", i32({1}, {0})).value(),
            i32({1}, {7}));
}

TEST(ExpandDims, KeepsUnknownExtents) {
  EXPECT_EQ(
      Try("expand_dims").with("x", bool_type({kUnknown, 3})).with("axes", i32({1}, {1})).type(),
      bool_type({kUnknown, 1, 3}));
}

TEST(ExpandDims, RefusesAxesThatAreNotThere) {
  const Try it("expand_dims");
  EXPECT_EQ(Try(it).with("x", f32_type({2})).with("axes", i32({1}, {2})).refusal(),
            "op 'it' (expand_dims): parameter 'axes' holds 2; allowed: -2 to 1");
  EXPECT_EQ(Try(it).with("x", f32_type({2})).with("axes", i32({2}, {0, -3})).refusal(),
            "op 'it' (expand_dims): parameter 'axes' names axis 0 twice");
}

}  // namespace anemone::mil::op::expand_dims_test
