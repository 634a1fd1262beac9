#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::equal_test {

TEST(Equal, ComparesBroadcastNumbers) {
  const Tensor z =
      Try("equal").with("x", f16({2, 1}, {1, 2})).with("y", f16({3}, {1, 2, 3})).value();
  EXPECT_EQ(z, flags({2, 3}, {1, 0, 0, 0, 1, 0}));
}

TEST(Equal, ComparesIntegersExactly) {
  EXPECT_EQ(
      Try("equal").with("x", i32({2}, {16777217, -1})).with("y", i32({2}, {16777216, -1})).value(),
      flags({2}, {0, 1}));
}

TEST(Equal, GivesBoolsAndRefusesWhatDoesNotFit) {
  EXPECT_EQ(Try("equal").with("x", f32_type({kUnknown, 3})).with("y", f32_type({})).type(),
            bool_type({kUnknown, 3}));
  EXPECT_EQ(Try("equal").with("x", i32_type({2, 3})).with("y", i32_type({4, 3})).refusal(),
            "op 'it' (equal): parameters 'x' and 'y' have shapes [2, 3] and [4, 3], which do "
            "not broadcast");
}

}  // namespace anemone::mil::op::equal_test
