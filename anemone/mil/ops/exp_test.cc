#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::exp_test {

TEST(Exp, IsEToTheX) {
  expect_near(Try("exp").with("x", f32({4}, {-1, 0, 1, 5})).numbers(),
              {0.367879441, 1, 2.71828183, 148.413159});
  EXPECT_EQ(Try("exp").with("x", f16({}, {1})).value(), f16({}, {2.71828183}));
}

TEST(Exp, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("exp").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("exp").with("x", i32_type({2})).refusal(),
            "op 'it' (exp): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::exp_test
