#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::prelu_test {

TEST(Prelu, LeaksByChannel) {
  EXPECT_EQ(Try("prelu")
                .with("x", f16({1, 2, 1, 2}, {-1, 2, -4, 0}))
                .with("alpha", f16({2}, {0.5, 0.25}))
                .value(),
            f16({1, 2, 1, 2}, {-0.5, 2, -1, 0}));
}

TEST(Prelu, KeepsUnknownExtents) {
  EXPECT_EQ(Try("prelu")
                .with("x", f16_type({kUnknown, 2, 3, kUnknown}))
                .with("alpha", f32({2}, {1, 2}))
                .type(),
            f16_type({kUnknown, 2, 3, kUnknown}));
}

TEST(Prelu, RefusesConstantsThatDoNotFit) {
  EXPECT_EQ(Try("prelu").with("x", f32_type({1, 3, 2})).with("alpha", f32({2}, {1, 1})).refusal(),
            "op 'it' (prelu): parameter 'alpha' has shape [2]; expected [3]");
  EXPECT_EQ(Try("prelu").with("x", f32_type({1, 2, 2})).with("alpha", f32({2}, {1, 2})).refusal(),
            "op 'it' (prelu): parameter 'alpha' differs between channels, which x of rank 3 does "
            "not allow");
}

}  // namespace anemone::mil::op::prelu_test
