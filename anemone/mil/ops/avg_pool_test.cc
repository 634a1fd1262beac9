#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::avg_pool_test {

TEST(AvgPool, AveragesEachWindowWithItsPadding) {
  const Try it = Try("avg_pool")
                     .with("x", f32({1, 1, 4}, {2, 4, 6, 8}))
                     .with("kernel_sizes", i32({1}, {3}))
                     .with("strides", i32({1}, {2}))
                     .with("pad_type", "custom")
                     .with("pad", i32({2}, {1, 1}));
  expect_near(it.numbers(), {2, 6});
  expect_near(Try(it).with("exclude_padding_from_average", true).numbers(), {3, 6});
}

TEST(AvgPool, LeavesOutWhatHangsOverInCeilMode) {
  expect_near(Try("avg_pool")
                  .with("x", f32({1, 1, 5}, {1, 2, 3, 4, 5}))
                  .with("kernel_sizes", i32({1}, {2}))
                  .with("strides", i32({1}, {2}))
                  .with("pad_type", "valid")
                  .with("ceil_mode", true)
                  .numbers(),
              {1.5, 3.5, 5});
}

TEST(AvgPool, InfersUnknownExtentsAndRefusesBigKernels) {
  const Try it = Try("avg_pool").with("pad_type", "valid").with("kernel_sizes", i32({1}, {4}));
  EXPECT_EQ(Try(it).with("x", f16_type({1, 2, kUnknown})).type(), f16_type({1, 2, kUnknown}));
  EXPECT_EQ(Try(it).with("x", f16_type({1, 2, 3})).refusal(),
            "op 'it' (avg_pool): a window of 4 does not fit spatial axis 0, which has 3 elements "
            "and 0 of padding");
}

}  // namespace anemone::mil::op::avg_pool_test
