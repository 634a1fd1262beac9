#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

using RmsNormFusion = Fusion;

TEST_F(RmsNormFusion, TakesSquareMeanRootAndGamma) {
  Value* x = input("x", {1, 5, 70});
  Value* m = mean("m", add("square", "s", {{"x", x}}));
  Value* r = add("rsqrt", "r", {{"x", add("add", "e", m, number(1e-3))}, {"epsilon", number(0)}});
  Value* y = add("mul", "y", add("mul", "n", x, r), random({70}));
  EXPECT_EQ(check({y, x}),
            "s square: fused with y\n"
            "m reduce_mean: fused with y\n"
            "e add: fused with y\n"
            "r rsqrt: fused with y\n"
            "n mul: fused with y\n"
            "y mul: rms_norm of 6 ops\n");
}

TEST_F(RmsNormFusion, TakesAPowerADivisionByTheRootAndCastsInBetween) {
  // As coremltools writes a norm that a model computes in fp32; gamma and epsilon come first.
  Value* x = input("x", {2, 3, 33});
  Value* wide = add("cast", "wide", {{"x", x}, {"dtype", "fp32"}});
  Value* p = add("pow", "p", wide, Tensor::scalar(DType::kF32, 2));
  Value* e = b_.add("add", "e", {{"x", Tensor::scalar(DType::kF32, 1e-5)}, {"y", mean("m", p)}});
  Value* n = add("real_div", "n", wide, add("sqrt", "q", {{"x", e}}));
  Value* narrow = add("cast", "narrow", {{"x", n}, {"dtype", "fp16"}});
  Value* y = b_.add("mul", "y", {{"x", random({33})}, {"y", narrow}});
  EXPECT_EQ(check({y}),
            "wide cast: fused with y\n"
            "p pow: fused with y\n"
            "m reduce_mean: fused with y\n"
            "e add: fused with y\n"
            "q sqrt: fused with y\n"
            "n real_div: fused with y\n"
            "narrow cast: fused with y\n"
            "y mul: rms_norm of 8 ops\n");
}

TEST_F(RmsNormFusion, TakesASumOfSquaresOverTheCount) {
  Value* x = input("x", {4, 64});
  Value* m = add("mul", "m", mean("s", x, "reduce_sum_square"), number(1.0 / 64));
  Value* r = add("rsqrt", "r", {{"x", m}});
  EXPECT_EQ(check({add("mul", "y", r, x)}),
            "s reduce_sum_square: fused with y\n"
            "m mul: fused with y\n"
            "r rsqrt: fused with y\n"
            "y mul: rms_norm of 4 ops\n");
}

TEST_F(RmsNormFusion, TakesRowsOfSeveralHeadsOutOfATransposedView) {
  Value* x = input("x", {1, 6, 3, 16});
  Value* t = add("transpose", "t", {{"x", x}, {"perm", Ints{0, 2, 1, 3}}});
  Value* m = mean("m", add("mul", "s", t, t));
  Value* r = add("rsqrt", "r", {{"x", m}, {"epsilon", number(1e-3)}});
  EXPECT_EQ(check({add("mul", "y", t, r)}),
            "t transpose: view of x\n"
            "s mul: fused with y\n"
            "m reduce_mean: fused with y\n"
            "r rsqrt: fused with y\n"
            "y mul: rms_norm of 4 ops\n");
}

TEST_F(RmsNormFusion, LeavesOutWhatOthersSee) {
  // The root is an output: its ops stay by themselves, and what is left is no norm.
  Value* x = input("x", {2, 8});
  Value* r = add("rsqrt", "r", {{"x", mean("m", add("square", "s", {{"x", x}}))}});
  Value* y = add("mul", "y", x, r);
  EXPECT_EQ(check({y, r}),
            "s square: unary\n"
            "m reduce_mean: reduce\n"
            "r rsqrt: unary\n"
            "y mul: binary\n");
}

TEST_F(RmsNormFusion, LeavesNormsAcrossChannelsInFrontOfOtherAxes) {
  Value* x = input("x", {1, 8, 1, 5});
  Value* s = add("square", "s", {{"x", x}});
  Value* m = b_.add("reduce_mean", "m", {{"x", s}, {"axes", Ints{1}}, {"keep_dims", true}});
  Value* y = add("mul", "y", x, add("rsqrt", "r", {{"x", m}}));
  EXPECT_EQ(check({y}),
            "s square: unary\n"
            "m reduce_mean: reduce\n"
            "r rsqrt: unary\n"
            "y mul: binary\n");
}

}  // namespace
}  // namespace anemone::engine
