#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::tanh_test {

TEST(Tanh, IsTheHyperbolicTangent) {
  expect_near(Try("tanh").with("x", f32({3}, {-1, 0, 3})).numbers(),
              {-0.761594156, 0, 0.995054754});
  EXPECT_EQ(Try("tanh").with("x", f16({}, {0})).value(), f16({}, {0}));
}

TEST(Tanh, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("tanh").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("tanh").with("x", i32_type({2})).refusal(),
            "op 'it' (tanh): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::tanh_test
