#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::max_pool_test {

TEST(MaxPool, TakesTheGreatestOfEachWindow) {
  EXPECT_EQ(Try("max_pool")
                .with("x", f16({1, 1, 2, 3}, {1, -2, 3, 4, 0, -6}))
                .with("kernel_sizes", i32({2}, {2, 2}))
                .with("pad_type", "valid")
                .value(),
            f16({1, 1, 1, 2}, {4, 3}));
  EXPECT_EQ(Try("max_pool")
                .with("x", f16({1, 1, 3}, {-1, -2, -3}))
                .with("kernel_sizes", i32({1}, {2}))
                .with("strides", i32({1}, {2}))
                .with("pad_type", "custom")
                .with("pad", i32({2}, {1, 0}))
                .value(),
            f16({1, 1, 2}, {-1, -2}));
}

TEST(MaxPool, CountsAnIncompleteWindowInCeilMode) {
  const Try it = Try("max_pool")
                     .with("x", f32({1, 1, 5}, {1, 2, 3, 4, 5}))
                     .with("kernel_sizes", i32({1}, {2}))
                     .with("strides", i32({1}, {2}))
                     .with("pad_type", "VALID");
  EXPECT_EQ(it.value(), f32({1, 1, 2}, {2, 4}));
  EXPECT_EQ(Try(it).with("ceil_mode", true).value(), f32({1, 1, 3}, {2, 4, 5}));
}

TEST(MaxPool, InfersUnknownExtents) {
  EXPECT_EQ(Try("max_pool")
                .with("x", f16_type({kUnknown, 3, kUnknown, 7}))
                .with("kernel_sizes", i32({2}, {3, 3}))
                .with("strides", i32({2}, {2, 2}))
                .with("pad_type", "same")
                .type(),
            f16_type({kUnknown, 3, kUnknown, 4}));
}

TEST(MaxPool, RefusesWhatDoesNotFit) {
  const Try it = Try("max_pool").with("x", f16_type({1, 1, 4})).with("pad_type", "custom");
  EXPECT_EQ(Try(it).with("kernel_sizes", i32({2}, {2, 2})).refusal(),
            "op 'it' (max_pool): parameter 'kernel_sizes' has 2 values; expected 1");
  EXPECT_EQ(Try(it)
                .with("kernel_sizes", i32({1}, {2}))
                .with("ceil_mode", true)
                .with("pad", i32({2}, {0, 1}))
                .refusal(),
            "op 'it' (max_pool): has ceil_mode, which wants the same padding before and behind an "
            "axis");
  EXPECT_EQ(Try("max_pool")
                .with("x", f16_type({1, 1, 4}))
                .with("pad_type", "full")
                .with("kernel_sizes", i32({1}, {2}))
                .refusal(),
            "op 'it' (max_pool): parameter 'pad_type' is 'full'; allowed: valid, custom, same, "
            "same_lower");
}

}  // namespace anemone::mil::op::max_pool_test
