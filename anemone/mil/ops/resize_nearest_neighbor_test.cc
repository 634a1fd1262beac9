#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::resize_nearest_neighbor_test {

TEST(ResizeNearestNeighbor, RepeatsOrDropsPixels) {
  EXPECT_EQ(Try("resize_nearest_neighbor")
                .with("x", f16({1, 2, 3}, {1, 2, 3, 4, 5, 6}))
                .with("target_size_height", 4)
                .with("target_size_width", 2)
                .value(),
            f16({1, 4, 2}, {1, 2, 1, 2, 4, 5, 4, 5}));
}

TEST(ResizeNearestNeighbor, TakesUnknownExtentsAndRefusesWhatIsNoSize) {
  const Try it = Try("resize_nearest_neighbor")
                     .with("x", f16_type({2, kUnknown, 4}))
                     .with("target_size_width", 2);
  EXPECT_EQ(Try(it).with("target_size_height", 6).type(), f16_type({2, 6, 2}));
  EXPECT_EQ(Try(it).with("target_size_height", -6).refusal(),
            "op 'it' (resize_nearest_neighbor): resizes an axis of ? elements to -6");
}

}  // namespace anemone::mil::op::resize_nearest_neighbor_test
