#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::pad_test {

TEST(Pad, PutsAConstantAround) {
  EXPECT_EQ(Try("pad")
                .with("x", f16({2, 2}, {1, 2, 3, 4}))
                .with("pad", i32({4}, {1, 0, 0, 1}))
                .with("constant_val", f16({}, {9}))
                .value(),
            f16({3, 3}, {9, 9, 9, 1, 2, 9, 3, 4, 9}));
}

TEST(Pad, MirrorsOrRepeatsTheLastAxes) {
  const Try it = Try("pad").with("x", f32({1, 3}, {1, 2, 3})).with("pad", i32({2}, {2, 1}));
  EXPECT_EQ(Try(it).with("mode", "reflect").value(), f32({1, 6}, {3, 2, 1, 2, 3, 2}));
  EXPECT_EQ(Try(it).with("mode", "replicate").value(), f32({1, 6}, {1, 1, 1, 2, 3, 3}));
}

TEST(Pad, InfersUnknownExtentsAndAmounts) {
  EXPECT_EQ(Try("pad").with("x", f32_type({kUnknown, 3})).with("pad", i32({2}, {1, 1})).type(),
            f32_type({kUnknown, 5}));
  EXPECT_EQ(Try("pad").with("x", f32_type({2, 3})).with("pad", i32_type({4})).type(),
            f32_type({kUnknown, kUnknown}));
}

TEST(Pad, RefusesAmountsThatItsModeCannotFill) {
  const Try it = Try("pad").with("x", f32_type({2, 3}));
  EXPECT_EQ(Try(it).with("pad", i32({1}, {1})).refusal(),
            "op 'it' (pad): parameter 'pad' has 1 values; expected two for each of at most 2 axes");
  EXPECT_EQ(Try(it).with("pad", i32({2}, {1, -1})).refusal(),
            "op 'it' (pad): parameter 'pad' holds -1");
  EXPECT_EQ(Try(it).with("pad", i32({2}, {3, 0})).with("mode", "reflect").refusal(),
            "op 'it' (pad): pads axis 1 of 3 elements by 3 in mode reflect");
  EXPECT_EQ(Try(it).with("pad", i32({2}, {1, 1})).with("mode", "wrap").refusal(),
            "op 'it' (pad): parameter 'mode' is 'wrap'; allowed: constant, reflect, replicate");
}

}  // namespace anemone::mil::op::pad_test
