#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::resize_test {

TEST(Resize, InterpolatesLinearly) {
  expect_near(Try("resize")
                  .with("x", f32({1, 1, 2}, {0, 1}))
                  .with("shape", i32({3}, {1, 1, 5}))
                  .with("resized_dims", 2)
                  .numbers(),
              {0, 0.4, 0.8, 1, 1});
}

TEST(Resize, TakesTheNearestElementOfItsGrid) {
  const Try it = Try("resize")
                     .with("x", f32({1, 2, 1}, {-6, 9}))
                     .with("shape", i32({2}, {3, 2}))
                     .with("resized_dims", 2)
                     .with("interpolation_mode", "NEAREST_NEIGHBOR");
  expect_near(it.numbers(), {-6, -6, 9, 9, 9, 9});
  expect_near(Try(it).with("sampling_mode", "UNALIGN_CORNERS").numbers(), {-6, -6, 9, 9, 9, 9});
}

TEST(Resize, KeepsExtentsAtZeroAndUnknownOnes) {
  const Try it = Try("resize").with("x", f16_type({1, 2, 3, kUnknown})).with("resized_dims", 2);
  EXPECT_EQ(Try(it).with("shape", i32({3}, {1, 0, 8})).type(), f16_type({1, 2, 3, 8}));
  EXPECT_EQ(Try(it).with("shape", i32_type({3})).type(), f16_type({1, 2, kUnknown, kUnknown}));
}

TEST(Resize, RefusesShapesThatDoNotFit) {
  const Try it = Try("resize").with("x", f16_type({1, 2, 3}));
  EXPECT_EQ(Try(it).with("shape", i32({4}, {1, 1, 1, 5})).with("resized_dims", 2).refusal(),
            "op 'it' (resize): resizes 2 axes of rank 3 by a shape of 4");
  EXPECT_EQ(Try(it).with("shape", i32({1}, {-4})).with("resized_dims", 1).refusal(),
            "op 'it' (resize): resizes an axis of 3 elements to -4");
  EXPECT_EQ(Try(it)
                .with("shape", i32({1}, {4}))
                .with("resized_dims", 1)
                .with("interpolation_mode", "CUBIC")
                .refusal(),
            "op 'it' (resize): parameter 'interpolation_mode' is 'CUBIC'; allowed: LINEAR, "
            "NEAREST_NEIGHBOR");
}

}  // namespace anemone::mil::op::resize_test
