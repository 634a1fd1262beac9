#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::l2_pool_test {

TEST(L2Pool, TakesTheLengthOfEachWindow) {
  expect_near(Try("l2_pool")
                  .with("x", f32({1, 1, 3}, {3, 4, -12}))
                  .with("kernel_sizes", i32({1}, {2}))
                  .with("pad_type", "same")
                  .numbers(),
              {5, std::sqrt(160.0), 12});
}

TEST(L2Pool, InfersUnknownExtentsAndRefusesThreeSpatialAxes) {
  const Try it = Try("l2_pool").with("pad_type", "valid");
  EXPECT_EQ(
      Try(it).with("x", f16_type({1, kUnknown, 6})).with("kernel_sizes", i32({1}, {4})).type(),
      f16_type({1, kUnknown, 3}));
  EXPECT_EQ(Try(it)
                .with("x", f16_type({1, 2, 6, 6, 6}))
                .with("kernel_sizes", i32({3}, {2, 2, 2}))
                .refusal(),
            "op 'it' (l2_pool): parameter 'x' has rank 5; allowed: 3 to 4");
}

}  // namespace anemone::mil::op::l2_pool_test
