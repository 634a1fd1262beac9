#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::exp2_test {

TEST(Exp2, IsTwoToTheX) {
  expect_near(Try("exp2").with("x", f32({4}, {-1, 0, 0.5, 10})).numbers(),
              {0.5, 1, 1.41421356, 1024});
  EXPECT_EQ(Try("exp2").with("x", f16({}, {0.5})).value(), f16({}, {1.41421356}));
}

TEST(Exp2, TakesIntegers) {
  EXPECT_EQ(Try("exp2").with("x", i32({3}, {0, 1, 3})).value(), i32({3}, {1, 2, 8}));
}

TEST(Exp2, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("exp2").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("exp2").with("x", bool_type({2})).refusal(),
            "op 'it' (exp2): parameter 'x' is bool; allowed: fp16, fp32, int32");
}

}  // namespace anemone::mil::op::exp2_test
