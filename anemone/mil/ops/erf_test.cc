#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::erf_test {

TEST(Erf, IsTheErrorFunction) {
  expect_near(Try("erf").with("x", f32({4}, {-1, 0, 0.25, 2})).numbers(),
              {-0.842700793, 0, 0.27632639, 0.995322265});
  EXPECT_EQ(Try("erf").with("x", f16({}, {0.25})).value(), f16({}, {0.27632639}));
}

TEST(Erf, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("erf").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("erf").with("x", i32_type({2})).refusal(),
            "op 'it' (erf): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::erf_test
