#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::upsample_nearest_neighbor_test {

TEST(UpsampleNearestNeighbor, RepeatsPixels) {
  EXPECT_EQ(Try("upsample_nearest_neighbor")
                .with("x", f16({1, 1, 1, 3}, {1.5, 2.5, 3.5}))
                .with("scale_factor_width", 2)
                .value(),
            f16({1, 1, 1, 6}, {1.5, 1.5, 2.5, 2.5, 3.5, 3.5}));
}

TEST(UpsampleNearestNeighbor, RoundsExtentsDown) {
  const Try it = Try("upsample_nearest_neighbor").with("x", f16_type({1, kUnknown, 10}));
  EXPECT_EQ(Try(it).with("scale_factor_width", 1.25).type(), f16_type({1, kUnknown, 12}));
  // 0.7 is a little less than 0.7 in fp32, but its product with 10 rounds to 7 there.
  EXPECT_EQ(Try(it).with("scale_factor_width", 0.7).type(), f16_type({1, kUnknown, 7}));
}

TEST(UpsampleNearestNeighbor, RefusesAFactorThatLeavesNothing) {
  const Try it = Try("upsample_nearest_neighbor").with("x", f16_type({1, 2, 4}));
  EXPECT_EQ(Try(it).with("scale_factor_width", 0).refusal(),
            "op 'it' (upsample_nearest_neighbor): resizes an axis of 4 elements to 0");
  EXPECT_EQ(Try(it).with("scale_factor_width", -1).refusal(),
            "op 'it' (upsample_nearest_neighbor): parameter 'scale_factor_width' is -1.000000");
}

}  // namespace anemone::mil::op::upsample_nearest_neighbor_test
