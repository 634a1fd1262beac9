#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

class PaddingFusion : public Fusion {
 protected:
  Value* padded(Value* x, Ints pad, double with = 0) {
    return add("pad", "p", {{"x", x}, {"pad", std::move(pad)}, {"constant_val", number(with)}});
  }
  Value* conv(Value* x, Shape weight, int groups = 1) {
    return add("conv", "y",
               {{"x", x},
                {"weight", random(weight)},
                {"strides", Ints{2, 2}},
                {"pad_type", "custom"},
                {"pad", Ints{1, 0, 0, 2}},
                {"groups", groups}});
  }
};

TEST_F(PaddingFusion, LetsWindowsReachOutside) {
  Value* x = input("x", {2, 3, 9, 20});
  EXPECT_EQ(check({conv(padded(x, {0, 0, 0, 0, 1, 2, 0, 3}), {5, 3, 3, 3})}),
            "p pad: fused with y\n"
            "y conv: convolution padded 3x3 stride 2 tile 5x27 by 27x144\n");
}

TEST_F(PaddingFusion, LetsWindowsOfOneChannelReachOutside) {
  Value* x = input("x", {1, 3, 9, 20});
  EXPECT_EQ(check({conv(padded(x, {1, 2, 1, 2}), {3, 1, 3, 3}, 3)}),
            "p pad: fused with y\n"
            "y conv: depthwise padded 3x3 stride 2\n");
}

TEST_F(PaddingFusion, GoesTogetherWithWhatIsDoneToTheResult) {
  Value* y = conv(padded(input("x", {1, 3, 9, 9}), {1, 1, 1, 1}), {4, 3, 3, 3});
  EXPECT_EQ(check({add("relu", "z", {{"x", y}})}),
            "p pad: fused with z\n"
            "y conv: fused with z\n"
            "z relu: activation of 3 ops\n");
}

TEST_F(PaddingFusion, LeavesOtherPaddingAlone) {
  Value* x = input("x", {1, 3, 9, 9});
  EXPECT_EQ(check({conv(padded(x, {0, 0, 0, 1, 1, 1, 1, 1}), {4, 4, 3, 3})}),
            "p pad: pad\n"
            "y conv: convolution 3x3 stride 2 tile 4x36 by 36x30\n");
}

TEST_F(PaddingFusion, LeavesNumbersThatAreNotZeroAlone) {
  Value* x = input("x", {1, 3, 9, 9});
  EXPECT_EQ(check({conv(padded(x, {1, 1, 1, 1}, 0.5), {4, 3, 3, 3})}),
            "p pad: pad\n"
            "y conv: convolution 3x3 stride 2 tile 4x27 by 27x30\n");
}

TEST_F(PaddingFusion, LeavesWhatOthersSeeAlone) {
  Value* p = padded(input("x", {1, 3, 9, 9}), {1, 1, 1, 1});
  EXPECT_EQ(check({conv(p, {4, 3, 3, 3}), p}),
            "p pad: pad\n"
            "y conv: convolution 3x3 stride 2 tile 4x27 by 27x30\n");
}

}  // namespace
}  // namespace anemone::engine
