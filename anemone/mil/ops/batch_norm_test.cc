#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::batch_norm_test {

TEST(BatchNorm, NormalizesByGivenMoments) {
  const Try it = Try("batch_norm")
                     .with("x", f32({1, 2, 2}, {1, 2, 3, 4}))
                     .with("mean", f32({2}, {1, 2}))
                     .with("variance", f32({2}, {3, 8}))
                     .with("epsilon", 1.0);
  expect_near(it.numbers(), {0, 0.5, 1.0 / 3, 2.0 / 3});
  expect_near(Try(it).with("gamma", f32({2}, {2, 3})).with("beta", f32({2}, {10, 20})).numbers(),
              {10, 11, 21, 22});
}

TEST(BatchNorm, TakesTheDefaultEpsilonInFp32BesideFp16Parameters) {
  for (const Opset opset : {Opset::kIos15, Opset::kIos17}) {
    const Try it = Try("batch_norm", opset)
                       .with("x", f16({1, 2, 1}, {1, 4}))
                       .with("mean", f16({2}, {0, 2}))
                       .with("variance", f16({2}, {3, 0}))
                       .with("epsilon", f32({}, {1}));
    expect_near(it.numbers(), {0.5, 2}, 1e-3);
  }
}

TEST(BatchNorm, KeepsUnknownExtentsAndRefusesOtherLengths) {
  const Try it =
      Try("batch_norm").with("x", f16_type({kUnknown, 2, kUnknown})).with("mean", f32({2}, {1, 2}));
  EXPECT_EQ(Try(it).with("variance", f32({2}, {3, 8})).type(), f16_type({kUnknown, 2, kUnknown}));
  EXPECT_EQ(Try(it).with("variance", f32({3}, {3, 8, 9})).refusal(),
            "op 'it' (batch_norm): parameter 'variance' has shape [3]; expected [2]");
}

}  // namespace anemone::mil::op::batch_norm_test
