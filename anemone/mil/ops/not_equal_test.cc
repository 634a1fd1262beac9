#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::not_equal_test {

TEST(NotEqual, ComparesBroadcastNumbers) {
  const Tensor z =
      Try("not_equal").with("x", f16({2, 1}, {1, 2})).with("y", f16({3}, {1, 2, 3})).value();
  EXPECT_EQ(z, flags({2, 3}, {0, 1, 1, 1, 0, 1}));
}

TEST(NotEqual, ComparesIntegersExactly) {
  EXPECT_EQ(Try("not_equal")
                .with("x", i32({2}, {16777217, -1}))
                .with("y", i32({2}, {16777216, -1}))
                .value(),
            flags({2}, {1, 0}));
}

TEST(NotEqual, GivesBoolsAndRefusesWhatDoesNotFit) {
  EXPECT_EQ(Try("not_equal").with("x", f32_type({kUnknown, 3})).with("y", f32_type({})).type(),
            bool_type({kUnknown, 3}));
  EXPECT_EQ(Try("not_equal").with("x", i32_type({2, 3})).with("y", i32_type({4, 3})).refusal(),
            "op 'it' (not_equal): parameters 'x' and 'y' have shapes [2, 3] and [4, 3], which do "
            "not broadcast");
}

}  // namespace anemone::mil::op::not_equal_test
