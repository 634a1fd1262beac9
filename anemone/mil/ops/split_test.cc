#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::split_test {

TEST(Split, CutsIntoEqualParts) {
  const auto parts = Try("split")
                         .with("x", f16({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}))
                         .with("num_splits", 2)
                         .with("axis", -1)
                         .values();
  EXPECT_EQ(parts, (std::vector<Tensor>{f16({2, 2}, {1, 2, 5, 6}), f16({2, 2}, {3, 4, 7, 8})}));
}

TEST(Split, CutsIntoGivenSizes) {
  const auto parts = Try("split")
                         .with("x", i32({3, 1}, {1, 2, 3}))
                         .with("split_sizes", i32({2}, {1, 2}))
                         .with("axis", 0)
                         .values();
  EXPECT_EQ(parts, (std::vector<Tensor>{i32({1, 1}, {1}), i32({2, 1}, {2, 3})}));
}

TEST(Split, InfersUnknownExtents) {
  EXPECT_EQ(Try("split")
                .with("x", f32_type({kUnknown, kUnknown}))
                .with("num_splits", 2)
                .with("axis", 0)
                .types(),
            (std::vector<Type>{f32_type({kUnknown, kUnknown}), f32_type({kUnknown, kUnknown})}));
}

TEST(Split, RefusesSizesThatDoNotAddUp) {
  const Try it = Try("split").with("x", f32_type({5})).with("axis", 0);
  EXPECT_EQ(Try(it).with("num_splits", 2).refusal(),
            "op 'it' (split): splits an axis of 5 into 2 equal parts");
  EXPECT_EQ(Try(it).with("split_sizes", i32({2}, {2, 2})).refusal(),
            "op 'it' (split): parameter 'split_sizes' has 2 values that add up to 4; expected 2 "
            "that add up to 5");
  EXPECT_EQ(Try(it).refusal(),
            "op 'it' (split): lacks both parameters 'num_splits' and 'split_sizes'");
  EXPECT_EQ(Try(it).with("num_splits", 2000000000).refusal(),
            "op 'it' (split): splits into 2000000000 parts; allowed: 1 to 65536");
}

}  // namespace anemone::mil::op::split_test
