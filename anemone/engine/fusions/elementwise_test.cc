#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

using ElementwiseFusion = Fusion;

TEST_F(ElementwiseFusion, TakesChainsAtEveryLength) {
  for (const std::int64_t length : {1, 7, 17, 1023, 1025, 5000}) {
    program_ = std::make_shared<mil::Program>();
    mil::Builder b(program_->add_function("main", mil::Opset::kIos18));
    std::swap(b_, b);
    inputs_.clear();
    Value* x = input("x", {3, length});
    Value* y = add("add", "t", add("tanh", "s", {{"x", x}}), input("z", {3, 1}));
    EXPECT_EQ(check({add("maximum", "y", y, x)}),
              "s tanh: fused with y\n"
              "t add: fused with y\n"
              "y maximum: elementwise of 3 ops\n");
  }
}

TEST_F(ElementwiseFusion, ReadsViewsWhereTheyLie) {
  Value* x = input("x", {4, 6, 8});
  Value* one = input("one", {6, 4, 1});
  Value* t = add("transpose", "t", {{"x", x}, {"perm", Ints{1, 0, 2}}});
  Value* e = add("tile", "e", {{"x", one}, {"reps", Ints{1, 1, 8}}});
  Value* s = add("mul", "s", t, number(3));
  EXPECT_EQ(check({add("sub", "y", s, add("exp", "f", {{"x", e}}))}),
            "t transpose: view of x\n"
            "e tile: view of one\n"
            "e : copy from fp32 [6\n"
            "s mul: fused with y\n"
            "f exp: fused with y\n"
            "y sub: elementwise of 3 ops\n");
}

TEST_F(ElementwiseFusion, LeavesIntegersAndSingleOpsAlone) {
  Value* n = input("n", {5}, DType::kI32);
  Value* m = b_.add("add", "m", {{"x", n}, {"y", n}});
  Value* x = input("x", {5});
  Value* k = b_.add("mul", "k", {{"x", m}, {"y", n}});
  EXPECT_EQ(check({k, add("relu", "r", {{"x", x}})}),
            "m add: binary\n"
            "k mul: binary\n"
            "r relu: unary\n");
}

}  // namespace
}  // namespace anemone::engine
