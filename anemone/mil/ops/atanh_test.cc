#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::atanh_test {

TEST(Atanh, IsTheInverseHyperbolicTangent) {
  expect_near(Try("atanh").with("x", f32({3}, {-0.5, 0, 0.9})).numbers(),
              {-0.549306144, 0, 1.47221936});
  EXPECT_EQ(Try("atanh").with("x", f16({}, {0})).value(), f16({}, {0}));
}

TEST(Atanh, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("atanh").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("atanh").with("x", i32_type({2})).refusal(),
            "op 'it' (atanh): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::atanh_test
