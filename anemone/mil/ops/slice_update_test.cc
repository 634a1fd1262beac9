#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::slice_update_test {

TEST(SliceUpdate, ReplacesTheSliceAlone) {
  EXPECT_EQ(Try("slice_update")
                .with("x", f16({2, 3}, {1, 2, 3, 4, 5, 6}))
                .with("update", f16({1, 2}, {8, 9}))
                .with("begin", i32({2}, {1, 1}))
                .with("end", i32({2}, {2, 3}))
                .value(),
            f16({2, 3}, {1, 2, 3, 4, 8, 9}));
}

TEST(SliceUpdate, FollowsStridesAndMasks) {
  EXPECT_EQ(Try("slice_update")
                .with("x", i32({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}))
                .with("update", i32({2}, {10, 20}))
                .with("begin", i32({2}, {1, 3}))
                .with("end", i32({2}, {0, 0}))
                .with("stride", i32({2}, {1, -2}))
                .with("end_mask", flags({2}, {0, 1}))
                .with("squeeze_mask", flags({2}, {1, 0}))
                .value(),
            i32({2, 4}, {1, 2, 3, 4, 5, 20, 7, 10}));
}

TEST(SliceUpdate, TakesBoundsThatOnlyACallKnows) {
  EXPECT_EQ(Try("slice_update")
                .with("x", f16_type({1, 8, 4}))
                .with("update", f16_type({1, 2, 4}))
                .with("begin", i32_type({3}))
                .with("end", i32_type({3}))
                .type(),
            f16_type({1, 8, 4}));
}

TEST(SliceUpdate, RefusesAnUpdateOfAnotherShape) {
  const Try it = Try("slice_update")
                     .with("x", f16_type({4}))
                     .with("update", f16_type({3}))
                     .with("begin", i32({1}, {0}))
                     .with("end", i32({1}, {2}));
  EXPECT_EQ(it.refusal(), "op 'it' (slice_update): parameter 'update' has shape [3]; expected [2]");
  EXPECT_EQ(Try("slice_update", Opset::kIos17).refusal(),
            "op 'it' (slice_update): exists from ios18 on, but the function speaks ios17");
}

}  // namespace anemone::mil::op::slice_update_test
