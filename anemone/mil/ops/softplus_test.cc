#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::softplus_test {

TEST(Softplus, IsTheLogOfOnePlusEToTheX) {
  expect_near(Try("softplus").with("x", f32({4}, {-2, 0, 3, 200})).numbers(),
              {0.126928011, 0.693147181, 3.04858735, 200});
  EXPECT_EQ(Try("softplus").with("x", f16({}, {3})).value(), f16({}, {3.04858735}));
}

TEST(Softplus, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("softplus").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("softplus").with("x", i32_type({2})).refusal(),
            "op 'it' (softplus): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::softplus_test
