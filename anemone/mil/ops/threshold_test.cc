#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::threshold_test {

TEST(Threshold, LiftsWhatIsBelowAlpha) {
  EXPECT_EQ(Try("threshold").with("x", f16({3}, {-2, 1, 3})).with("alpha", f16({}, {1.5})).value(),
            f16({3}, {1.5, 1.5, 3}));
  EXPECT_EQ(Try("threshold").with("x", i32({2}, {-2, 7})).with("alpha", 0).value(),
            i32({2}, {0, 7}));
}

TEST(Threshold, KeepsTheTypeAndRefusesAnotherDtype) {
  EXPECT_EQ(Try("threshold").with("x", f32_type({kUnknown})).with("alpha", 0.5).type(),
            f32_type({kUnknown}));
  EXPECT_EQ(Try("threshold").with("x", f16_type({2})).with("alpha", 0.5).refusal(),
            "op 'it' (threshold): parameter 'alpha' is fp32, but another of its kind is fp16");
}

}  // namespace anemone::mil::op::threshold_test
