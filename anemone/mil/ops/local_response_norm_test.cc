#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::local_response_norm_test {

TEST(LocalResponseNorm, DividesByItsNeighbours) {
  expect_near(Try("local_response_norm")
                  .with("x", f32({1, 3, 1}, {1, 2, 3}))
                  .with("size", 3)
                  .with("alpha", 3.0)
                  .with("beta", 1.0)
                  .with("k", 0.0)
                  .numbers(),
              {1.0 / 5, 2.0 / 14, 3.0 / 13});
  expect_near(Try("local_response_norm")
                  .with("x", f32({1, 3, 1}, {1, 2, 3}))
                  .with("size", 2)
                  .with("alpha", 2.0)
                  .with("beta", 1.0)
                  .with("k", 0.0)
                  .numbers(),
              {1, 2.0 / 5, 3.0 / 13});
}

TEST(LocalResponseNorm, KeepsUnknownExtentsAndRefusesASizeOfZero) {
  const Try it = Try("local_response_norm").with("x", f16_type({1, 2, kUnknown}));
  EXPECT_EQ(Try(it).with("size", 2).type(), f16_type({1, 2, kUnknown}));
  EXPECT_EQ(Try(it).with("size", 0).refusal(),
            "op 'it' (local_response_norm): parameter 'size' is 0; the least allowed is 1");
}

}  // namespace anemone::mil::op::local_response_norm_test
