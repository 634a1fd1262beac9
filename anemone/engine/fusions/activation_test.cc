#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

class ActivationFusion : public Fusion {
 protected:
  Value* conv(const char* name, Value* x, Shape weight) {
    return add("conv", name, {{"x", x}, {"weight", random(weight)}, {"bias", random({weight[0]})}});
  }
};

TEST_F(ActivationFusion, FollowsAProjection) {
  Value* x = input("x", {2, 20, 30});
  Value* p = add("linear", "p", {{"x", x}, {"weight", random({10, 30})}, {"bias", random({10})}});
  EXPECT_EQ(check({add("gelu", "y", {{"x", p}, {"mode", "TANH_APPROXIMATION"}})}),
            "p linear: fused with y\n"
            "y gelu: activation of 2 ops\n");
}

TEST_F(ActivationFusion, TakesASlopeInThreeOps) {
  Value* p = conv("p", input("x", {1, 6, 9, 9}), {5, 6, 1, 1});
  Value* test = b_.add("greater_equal", "test", {{"x", p}, {"y", number(0)}});
  Value* scaled = add("mul", "scaled", p, random({1, 5, 1, 1}));
  EXPECT_EQ(check({add("select", "y", {{"cond", test}, {"a", p}, {"b", scaled}})}),
            "p conv: fused with y\n"
            "test greater_equal: fused with y\n"
            "scaled mul: fused with y\n"
            "y select: activation of 4 ops\n");
}

TEST_F(ActivationFusion, TakesAResidualSumAndAClip) {
  Value* x = input("x", {1, 6, 8, 9});
  Value* p = conv("p", x, {6, 6, 1, 1});
  Value* sum = b_.add("add", "sum", {{"x", x}, {"y", p}});
  EXPECT_EQ(check({add("clip", "y", {{"x", sum}, {"alpha", number(0)}, {"beta", number(6)}})}),
            "p conv: fused with y\n"
            "sum add: fused with y\n"
            "y clip: activation of 3 ops\n");
}

TEST_F(ActivationFusion, GoesToTheLaterOfTwoProducts) {
  Value* x = input("x", {1, 6, 8, 9});
  Value* a = conv("a", x, {4, 6, 3, 3});
  Value* b = conv("b", x, {4, 6, 3, 3});
  EXPECT_EQ(check({add("add", "y", a, b)}),
            "a conv: convolution 3x3 tile 4x54 by 54x42\n"
            "b conv: fused with y\n"
            "y add: activation of 2 ops\n");
}

TEST_F(ActivationFusion, LeavesWhatOthersSeeAlone) {
  Value* p = conv("p", input("x", {1, 6, 9, 9}), {5, 6, 3, 3});
  Value* r = add("relu", "r", {{"x", p}});
  EXPECT_EQ(check({add("abs", "y", {{"x", p}}), r}),
            "p conv: convolution 3x3 tile 5x54 by 54x49\n"
            "r relu: unary\n"
            "y abs: unary\n");
}

TEST_F(ActivationFusion, LeavesOtherShapesAlone) {
  Value* p = conv("p", input("x", {1, 6, 9, 9}), {1, 6, 3, 3});
  EXPECT_EQ(check({add("add", "y", p, input("z", {1, 4, 7, 7}))}),
            "p conv: convolution 3x3 tile 1x54 by 54x49\n"
            "y add: binary\n");
}

}  // namespace
}  // namespace anemone::engine
