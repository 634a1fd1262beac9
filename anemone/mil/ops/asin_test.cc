#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::asin_test {

TEST(Asin, IsTheArcSine) {
  expect_near(Try("asin").with("x", f32({4}, {-1, 0, 0.5, 1})).numbers(),
              {-1.57079633, 0, 0.523598776, 1.57079633});
  EXPECT_EQ(Try("asin").with("x", f16({}, {0.5})).value(), f16({}, {0.523598776}));
}

TEST(Asin, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("asin").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("asin").with("x", i32_type({2})).refusal(),
            "op 'it' (asin): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::asin_test
