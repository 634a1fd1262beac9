#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::cumsum_test {

TEST(Cumsum, AddsUpAlongItsAxis) {
  const Tensor x = f16({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Try("cumsum").with("x", x).value(), f16({2, 3}, {1, 2, 3, 5, 7, 9}));
  const Try it = Try("cumsum").with("x", x).with("axis", -1);
  EXPECT_EQ(Try(it).with("exclusive", true).value(), f16({2, 3}, {0, 1, 3, 0, 4, 9}));
  EXPECT_EQ(Try(it).with("reverse", true).value(), f16({2, 3}, {6, 5, 3, 15, 11, 6}));
  EXPECT_EQ(Try(it).with("reverse", true).with("exclusive", true).value(),
            f16({2, 3}, {5, 3, 0, 11, 6, 0}));
}

TEST(Cumsum, KeepsTheTypeAndRefusesABadAxis) {
  EXPECT_EQ(Try("cumsum").with("x", i32_type({kUnknown})).type(), i32_type({kUnknown}));
  EXPECT_EQ(Try("cumsum").with("x", i32_type({2})).with("axis", 1).refusal(),
            "op 'it' (cumsum): parameter 'axis' is 1; allowed: -1 to 0");
}

}  // namespace anemone::mil::op::cumsum_test
