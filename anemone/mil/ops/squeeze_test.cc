#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::squeeze_test {

TEST(Squeeze, DropsTheNamedAxesOrAllOfExtentOne) {
  const Tensor x = f16({1, 2, 1}, {1, 2});
  EXPECT_EQ(Try("squeeze").with("x", x).with("axes", i32({1}, {-1})).value(), f16({1, 2}, {1, 2}));
  EXPECT_EQ(Try("squeeze").with("x", x).value(), f16({2}, {1, 2}));
  EXPECT_EQ(Try("squeeze").with("x", i32({1}, {5})).value(), i32({}, {5}));
}

TEST(Squeeze, KeepsUnknownExtents) {
  EXPECT_EQ(Try("squeeze").with("x", f32_type({1, kUnknown, 1, 3})).type(),
            f32_type({kUnknown, 3}));
}

TEST(Squeeze, RefusesALongAxis) {
  EXPECT_EQ(Try("squeeze").with("x", f32_type({1, 2})).with("axes", i32({1}, {1})).refusal(),
            "op 'it' (squeeze): squeezes axis 1, which has 2 elements");
}

}  // namespace anemone::mil::op::squeeze_test
