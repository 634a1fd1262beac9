#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::softplus_parametric_test {

TEST(SoftplusParametric, TakesConstantsByChannel) {
  expect_near(Try("softplus_parametric")
                  .with("x", f32({1, 2, 2}, {0, 1, 0, 1000}))
                  .with("alpha", f32({2}, {1, 2}))
                  .with("beta", f32({2}, {-1, 3}))
                  .numbers(),
              {std::log(2.0), std::log(1 + std::exp(-1.0)), 2 * std::log(2.0), 6000});
}

TEST(SoftplusParametric, KeepsUnknownExtentsAndRefusesOtherLengths) {
  const Try it = Try("softplus_parametric")
                     .with("x", f16_type({kUnknown, 2, kUnknown}))
                     .with("alpha", f32({2}, {1, 2}));
  EXPECT_EQ(Try(it).with("beta", f32({2}, {1, 2})).type(), f16_type({kUnknown, 2, kUnknown}));
  EXPECT_EQ(Try(it).with("beta", f32({1}, {1})).refusal(),
            "op 'it' (softplus_parametric): parameter 'beta' has shape [1]; expected [2]");
}

}  // namespace anemone::mil::op::softplus_parametric_test
