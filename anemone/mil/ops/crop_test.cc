#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::crop_test {

TEST(Crop, TakesOffTheBorders) {
  EXPECT_EQ(Try("crop")
                .with("x", f16({1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}))
                .with("crop_height", i32({2}, {0, 1}))
                .with("crop_width", i32({2}, {1, 0}))
                .value(),
            f16({1, 2, 2}, {2, 3, 5, 6}));
}

TEST(Crop, KeepsUnknownExtentsAndRefusesMoreThanThereIs) {
  const Try it =
      Try("crop").with("x", f16_type({1, kUnknown, 3})).with("crop_height", i32({2}, {1, 1}));
  EXPECT_EQ(Try(it).with("crop_width", i32({2}, {1, 1})).type(), f16_type({1, kUnknown, 1}));
  EXPECT_EQ(Try(it).with("crop_width", i32({2}, {2, 2})).refusal(),
            "op 'it' (crop): parameter 'crop_width' takes 2 and 2 off 3 elements");
}

}  // namespace anemone::mil::op::crop_test
