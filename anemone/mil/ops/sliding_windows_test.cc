#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::sliding_windows_test {

TEST(SlidingWindows, PutsWindowsOnAnAxisOfTheirOwn) {
  EXPECT_EQ(Try("sliding_windows")
                .with("x", f16({1, 5}, {1, 2, 3, 4, 5}))
                .with("axis", -1)
                .with("size", 3)
                .with("stride", 2)
                .value(),
            f16({1, 2, 3}, {1, 2, 3, 3, 4, 5}));
  EXPECT_EQ(Try("sliding_windows")
                .with("x", i32({3, 2}, {1, 2, 3, 4, 5, 6}))
                .with("axis", 0)
                .with("size", 2)
                .value(),
            i32({2, 2, 2}, {1, 2, 3, 4, 3, 4, 5, 6}));
}

TEST(SlidingWindows, InfersUnknownExtentsAndRefusesWindowsThatDoNotFit) {
  EXPECT_EQ(Try("sliding_windows")
                .with("x", f16_type({kUnknown, 2}))
                .with("axis", 0)
                .with("size", 3)
                .type(),
            f16_type({kUnknown, 3, 2}));
  EXPECT_EQ(
      Try("sliding_windows").with("x", f16_type({2, 2})).with("axis", 0).with("size", 3).refusal(),
      "op 'it' (sliding_windows): slides windows of 3 by 1 over axis 0 of [2, 2]");
}

}  // namespace anemone::mil::op::sliding_windows_test
