#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::clip_test {

TEST(Clip, KeepsValuesBetweenItsBounds) {
  EXPECT_EQ(Try("clip")
                .with("x", f16({4}, {-3, -1, 0.5, 9}))
                .with("alpha", f16({}, {-1}))
                .with("beta", f16({}, {6}))
                .value(),
            f16({4}, {-1, -1, 0.5, 6}));
}

TEST(Clip, KeepsUnknownExtents) {
  EXPECT_EQ(Try("clip").with("x", f32_type({kUnknown})).with("alpha", 0.0).with("beta", 1.0).type(),
            f32_type({kUnknown}));
}

TEST(Clip, RefusesCrossedBoundsFromIos17On) {
  const auto refusal = [](Opset opset) {
    return Try("clip", opset)
        .with("x", f32_type({2}))
        .with("alpha", 1.0)
        .with("beta", 1.0)
        .refusal();
  };
  EXPECT_EQ(refusal(Opset::kIos17), "op 'it' (clip): parameter 'alpha' must be less than 'beta'");
  EXPECT_EQ(refusal(Opset::kIos16), "");
}

}  // namespace anemone::mil::op::clip_test
