#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::instance_norm_test {

TEST(InstanceNorm, NormalizesEachChannel) {
  const Try it =
      Try("instance_norm").with("x", f32({1, 2, 2}, {1, 3, 10, 20})).with("epsilon", 3.0);
  expect_near(it.numbers(), {-0.5, 0.5, -5 / std::sqrt(28.0), 5 / std::sqrt(28.0)});
  expect_near(Try(it).with("gamma", f32({2}, {2, 0})).with("beta", f32({2}, {10, 20})).numbers(),
              {9, 11, 20, 20});
}

TEST(InstanceNorm, KeepsUnknownExtentsAndRefusesOtherLengths) {
  const Try it = Try("instance_norm").with("x", f16_type({1, 2, kUnknown}));
  EXPECT_EQ(it.type(), f16_type({1, 2, kUnknown}));
  EXPECT_EQ(Try(it).with("beta", f32({1}, {3})).refusal(),
            "op 'it' (instance_norm): parameter 'beta' has shape [1]; expected [2]");
}

}  // namespace anemone::mil::op::instance_norm_test
