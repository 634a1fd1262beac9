#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::atan_test {

TEST(Atan, IsTheArcTangent) {
  expect_near(Try("atan").with("x", f32({4}, {-10, 0, 0.5, 1})).numbers(),
              {-1.47112767, 0, 0.463647609, 0.785398163});
  EXPECT_EQ(Try("atan").with("x", f16({}, {0.5})).value(), f16({}, {0.463647609}));
}

TEST(Atan, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("atan").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("atan").with("x", i32_type({2})).refusal(),
            "op 'it' (atan): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::atan_test
