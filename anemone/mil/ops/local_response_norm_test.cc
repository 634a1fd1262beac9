#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::local_response_norm_test {

TEST(LocalResponseNorm, DividesByItsNeighbours) {
  expect_near(Try("local_response_norm")
                  .with("x", f32({1, 3, 1, 1}, {1, 2, 3}))
                  .with("size", 3)
                  .with("alpha", 3.0)
                  .with("beta", 1.0)
                  .with("k", 0.0)
                  .numbers(),
              {1.0 / 5, 2.0 / 14, 3.0 / 13});
  expect_near(Try("local_response_norm")
                  .with("x", f32({1, 3, 1, 1}, {1, 2, 3}))
                  .with("size", 2)
                  .with("alpha", 2.0)
                  .with("beta", 1.0)
                  .with("k", 0.0)
                  .numbers(),
              {1, 2.0 / 5, 3.0 / 13});
}

// Source: coremltools 9.0, converters/mil/mil/ops/tests/iOS14/test_normalization.py.
TEST(LocalResponseNorm, TakesThreeExtentsForOneImage) {
  const Try it =
      Try("local_response_norm").with("x", f32({1, 3, 2}, {1, -7, 5, -6, -3, -5})).with("size", 2);
  expect_near(it.numbers(),
              {0.99996257, -6.98716545, 4.99531746, -5.99191284, -2.99898791, -4.99531746});
  // Rank 5 has channels where rank 4 has them.
  expect_near(Try("local_response_norm")
                  .with("x", f32({1, 3, 1, 1, 1}, {1, 2, 3}))
                  .with("size", 3)
                  .with("alpha", 3.0)
                  .with("beta", 1.0)
                  .with("k", 0.0)
                  .numbers(),
              {1.0 / 5, 2.0 / 14, 3.0 / 13});
}

TEST(LocalResponseNorm, KeepsUnknownExtentsAndRefusesASizeOfZero) {
  const Try it = Try("local_response_norm").with("x", f16_type({1, 2, kUnknown}));
  EXPECT_EQ(Try(it).with("size", 2).type(), f16_type({1, 2, kUnknown}));
  EXPECT_EQ(Try(it).with("size", 0).refusal(),
            "op 'it' (local_response_norm): parameter 'size' is 0; the least allowed is 1");
}

}  // namespace anemone::mil::op::local_response_norm_test
