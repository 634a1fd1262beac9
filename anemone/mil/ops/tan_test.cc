#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::tan_test {

TEST(Tan, IsTheTangent) {
  expect_near(Try("tan").with("x", f32({3}, {-1, 0, 3})).numbers(), {-1.55740772, 0, -0.142546543});
  EXPECT_EQ(Try("tan").with("x", f16({}, {0})).value(), f16({}, {0}));
}

TEST(Tan, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("tan").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("tan").with("x", i32_type({2})).refusal(),
            "op 'it' (tan): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::tan_test
