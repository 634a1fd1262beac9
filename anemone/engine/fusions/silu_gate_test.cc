#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

using SiluGateFusion = Fusion;

TEST_F(SiluGateFusion, TakesTheOpInTheMemoryOfAProduct) {
  Value* x = input("x", {1, 5, 24});
  Value* gate = add("linear", "gate", {{"x", x}, {"weight", random({40, 24})}});
  Value* s = add("silu", "s", {{"x", gate}});
  Value* up = add("linear", "up", {{"x", x}, {"weight", random({40, 24})}});
  EXPECT_EQ(check({add("mul", "y", s, up)}),
            "gate linear: projection dot 40x24 by 24x5\n"
            "s silu: fused with y\n"
            "up linear: fused with y\n"
            "y mul: silu_gate of 3 ops\n");
}

TEST_F(SiluGateFusion, TakesASigmoidAndAProduct) {
  Value* gate = input("gate", {3, 50});
  Value* up = input("up", {3, 50});
  Value* s = add("mul", "s", gate, add("sigmoid", "g", {{"x", gate}}));
  EXPECT_EQ(check({add("mul", "y", up, s)}),
            "g sigmoid: fused with y\n"
            "s mul: fused with y\n"
            "y mul: silu_gate of 3 ops\n");
}

TEST_F(SiluGateFusion, LeavesOutASigmoidThatOthersSee) {
  Value* gate = input("gate", {3, 50});
  Value* g = add("sigmoid", "g", {{"x", gate}});
  EXPECT_EQ(check({add("mul", "y", add("mul", "s", gate, g), gate), g}),
            "g sigmoid: unary\n"
            "s mul: fused with y\n"
            "y mul: elementwise of 2 ops\n");
}

}  // namespace
}  // namespace anemone::engine
