#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::sinh_test {

TEST(Sinh, IsTheHyperbolicSine) {
  expect_near(Try("sinh").with("x", f32({3}, {-1, 0, 3})).numbers(), {-1.17520119, 0, 10.0178749});
  EXPECT_EQ(Try("sinh").with("x", f16({}, {0})).value(), f16({}, {0}));
}

TEST(Sinh, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("sinh").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("sinh").with("x", i32_type({2})).refusal(),
            "op 'it' (sinh): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::sinh_test
