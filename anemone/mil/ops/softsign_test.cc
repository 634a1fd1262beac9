#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::softsign_test {

TEST(Softsign, SquashesIntoMinusOneToOne) {
  expect_near(Try("softsign").with("x", f32({3}, {-3, 0, 1})).numbers(), {-0.75, 0, 0.5});
  EXPECT_EQ(Try("softsign").with("x", f16({}, {0})).value(), f16({}, {0}));
}

TEST(Softsign, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("softsign").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("softsign").with("x", i32_type({2})).refusal(),
            "op 'it' (softsign): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::softsign_test
