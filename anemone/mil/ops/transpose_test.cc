#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::transpose_test {

TEST(Transpose, MovesAxes) {
  EXPECT_EQ(Try("transpose")
                .with("x", f16({1, 2, 3}, {1, 2, 3, 4, 5, 6}))
                .with("perm", i32({3}, {2, 0, -2}))
                .value(),
            f16({3, 1, 2}, {1, 4, 2, 5, 3, 6}));
}

TEST(Transpose, MovesUnknownExtentsToo) {
  EXPECT_EQ(Try("transpose")
                .with("x", bool_type({kUnknown, 2, 3}))
                .with("perm", i32({3}, {1, 2, 0}))
                .type(),
            bool_type({2, 3, kUnknown}));
}

TEST(Transpose, RefusesWhatIsNoPermutation) {
  const auto refusal = [](Tensor perm) {
    return Try("transpose").with("x", f32_type({2, 3})).with("perm", std::move(perm)).refusal();
  };
  EXPECT_EQ(refusal(i32({1}, {0})),
            "op 'it' (transpose): parameter 'perm' has 1 values; expected 2");
  EXPECT_EQ(refusal(i32({2}, {1, 1})), "op 'it' (transpose): parameter 'perm' names axis 1 twice");
  EXPECT_EQ(refusal(i32({2}, {0, 2})),
            "op 'it' (transpose): parameter 'perm' holds 2; allowed: -2 to 1");
}

}  // namespace anemone::mil::op::transpose_test
