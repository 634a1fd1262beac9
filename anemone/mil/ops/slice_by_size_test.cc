#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::slice_by_size_test {

TEST(SliceBySize, TakesSizeElementsOrTheRest) {
  const Tensor x = f32({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(Try("slice_by_size")
                .with("x", x)
                .with("begin", i32({2}, {0, 1}))
                .with("size", i32({2}, {-1, 2}))
                .value(),
            f32({2, 2}, {2, 3, 6, 7}));
  EXPECT_EQ(Try("slice_by_size")
                .with("x", x)
                .with("begin", i32({2}, {-1, -2}))
                .with("size", i32({2}, {1, -1}))
                .value(),
            f32({1, 2}, {7, 8}));
}

TEST(SliceBySize, InfersSizesWithoutABegin) {
  EXPECT_EQ(Try("slice_by_size")
                .with("x", f16_type({kUnknown, 8, 4}))
                .with("begin", i32_type({3}))
                .with("size", i32({3}, {1, 3, -1}))
                .type(),
            f16_type({1, 3, kUnknown}));
}

TEST(SliceBySize, RefusesToReadPastTheEnd) {
  EXPECT_EQ(Try("slice_by_size")
                .with("x", f32_type({4}))
                .with("begin", i32({1}, {2}))
                .with("size", i32({1}, {3}))
                .refusal(),
            "op 'it' (slice_by_size): takes 3 elements from 2 on along axis 0, which has 4");
  EXPECT_EQ(Try("slice_by_size")
                .with("x", f32_type({4}))
                .with("begin", i32({1}, {2}))
                .with("size", i32({1}, {-2}))
                .refusal(),
            "op 'it' (slice_by_size): parameter 'size' holds -2; allowed: -1 (all that follow) and "
            "up");
}

}  // namespace anemone::mil::op::slice_by_size_test
