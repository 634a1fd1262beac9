#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

class SdpaFusion : public Fusion {
 protected:
  SdpaFusion()
      : q_(input("q", {1, 2, 9, 16})),
        k_(input("k", {1, 2, 40, 16})),
        v_(input("v", {1, 2, 40, 16})),
        mask_(input("mask", {1, 1, 9, 40})) {}

  Value* weights(Value* scores) { return add("softmax", "weights", {{"x", scores}, {"axis", 3}}); }

  Value *q_, *k_, *v_, *mask_;
};

TEST_F(SdpaFusion, TakesADivisionAndAMaskInFront) {
  Value* s = add("matmul", "s", {{"x", q_}, {"y", k_}, {"transpose_y", true}});
  Value* d = add("real_div", "d", s, number(4));
  Value* m = b_.add("add", "m", {{"x", mask_}, {"y", d}});
  EXPECT_EQ(check({add("matmul", "y", weights(m), v_)}),
            "s matmul: fused with y\n"
            "d real_div: fused with y\n"
            "m add: fused with y\n"
            "weights softmax: fused with y\n"
            "y matmul: attention tile\n");
}

TEST_F(SdpaFusion, TakesKeysThatAnOpHasTurned) {
  Value* turned = add("transpose", "turned", {{"x", k_}, {"perm", Ints{0, 1, 3, 2}}});
  Value* s = add("mul", "scaled", add("matmul", "s", q_, turned), number(0.25));
  EXPECT_EQ(check({add("matmul", "y", weights(s), v_)}),
            "turned transpose: view of k\n"
            "s matmul: fused with y\n"
            "scaled mul: fused with y\n"
            "weights softmax: fused with y\n"
            "y matmul: attention tile\n");
}

TEST_F(SdpaFusion, LeavesOutWeightsThatOthersSee) {
  Value* s = add("matmul", "s", {{"x", q_}, {"y", k_}, {"transpose_y", true}});
  Value* w = weights(s);
  EXPECT_EQ(check({add("matmul", "y", w, v_), w}),
            "s matmul: matmul tile 2 times 40x16 by 16x9\n"
            "weights softmax: softmax\n"
            "y matmul: matmul tile 2 times 9x40 by 40x16\n");
}

// A mask left out by mistake: the scores twice. Values that are the weights themselves.
TEST_F(SdpaFusion, LeavesOutWhatIsBothInsideAndOutside) {
  Value* s = add("matmul", "s", {{"x", q_}, {"y", k_}, {"transpose_y", true}});
  Value* w = weights(add("add", "m", s, s));
  Value* y = add("matmul", "y", w, v_);
  Value* square = input("square", {1, 2, 40, 40});
  Value* t = add("matmul", "t", {{"x", square}, {"y", k_}});
  Value* u = add("matmul", "u", {{"x", t}, {"y", k_}, {"transpose_y", true}});
  Value* p = add("softmax", "p", {{"x", u}, {"axis", 3}});
  const std::string said = check({y, add("matmul", "z", p, p)});
  EXPECT_EQ(said.find("attention"), std::string::npos) << said;
}

}  // namespace
}  // namespace anemone::engine
