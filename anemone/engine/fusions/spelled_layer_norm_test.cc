#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

using LayerNormFusion = Fusion;

TEST_F(LayerNormFusion, TakesMeanVarianceRootGammaAndBeta) {
  Value* x = input("x", {3, 50});
  Value* d = add("sub", "d", x, mean("m", x));
  Value* v = mean("v", add("square", "s", {{"x", d}}));
  Value* r = add("rsqrt", "r", {{"x", add("add", "e", v, number(1e-3))}});
  Value* g = add("mul", "g", add("mul", "n", d, r), random({50}));
  EXPECT_EQ(check({add("add", "y", g, random({50}))}),
            "m reduce_mean: fused with y\n"
            "d sub: fused with y\n"
            "s square: fused with y\n"
            "v reduce_mean: fused with y\n"
            "e add: fused with y\n"
            "r rsqrt: fused with y\n"
            "n mul: fused with y\n"
            "g mul: fused with y\n"
            "y add: layer_norm of 9 ops\n");
}

TEST_F(LayerNormFusion, TakesADivisionByTheRoot) {
  Value* x = input("x", {2, 1, 17});
  Value* d = add("sub", "d", x, mean("m", x));
  Value* q = add("sqrt", "q", {{"x", mean("v", add("mul", "s", d, d))}});
  EXPECT_EQ(check({add("real_div", "y", d, q)}),
            "m reduce_mean: fused with y\n"
            "d sub: fused with y\n"
            "s mul: fused with y\n"
            "v reduce_mean: fused with y\n"
            "q sqrt: fused with y\n"
            "y real_div: layer_norm of 6 ops\n");
}

TEST_F(LayerNormFusion, LeavesOutAMeanThatOthersSee) {
  Value* x = input("x", {2, 16});
  Value* m = mean("m", x);
  Value* d = add("sub", "d", x, m);
  Value* q = add("sqrt", "q", {{"x", mean("v", add("mul", "s", d, d))}});
  // What is left has one reduction, along rows as well.
  EXPECT_EQ(check({add("real_div", "y", d, q), m}),
            "m reduce_mean: reduce\n"
            "d sub: fused with y\n"
            "s mul: fused with y\n"
            "v reduce_mean: fused with y\n"
            "q sqrt: fused with y\n"
            "y real_div: rms_norm of 5 ops\n");
}

}  // namespace
}  // namespace anemone::engine
