#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::acos_test {

TEST(Acos, IsTheArcCosine) {
  expect_near(Try("acos").with("x", f32({4}, {-1, 0, 0.5, 1})).numbers(),
              {3.14159265, 1.57079633, 1.04719755, 0});
  EXPECT_EQ(Try("acos").with("x", f16({}, {0.5})).value(), f16({}, {1.04719755}));
}

TEST(Acos, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("acos").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("acos").with("x", i32_type({2})).refusal(),
            "op 'it' (acos): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::acos_test
