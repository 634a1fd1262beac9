#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::floor_test {

TEST(Floor, RoundsDown) {
  expect_near(Try("floor").with("x", f32({5}, {-1.5, -0.25, 0, 1.25, 2})).numbers(),
              {-2, -1, 0, 1, 2});
  EXPECT_EQ(Try("floor").with("x", f16({}, {1.25})).value(), f16({}, {1}));
}

TEST(Floor, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("floor").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("floor").with("x", i32_type({2})).refusal(),
            "op 'it' (floor): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::floor_test
