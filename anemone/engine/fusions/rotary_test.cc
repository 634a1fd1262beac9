#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

class RotaryFusion : public Fusion {
 protected:
  Value* part(const char* name, Value* x, std::int64_t begin, std::int64_t end) {
    return add("slice_by_index", name,
               {{"x", x},
                {"begin", Ints{0, 0, 0, begin}},
                {"end", Ints{0, 0, 0, end}},
                {"begin_mask", Tensor::from_ints(DType::kBool, {4}, Ints{1, 1, 1, 0})},
                {"end_mask", Tensor::from_ints(DType::kBool, {4}, Ints{1, 1, 1, 0})}});
  }
  Value* joined(const char* name, Value* a, Value* b) {
    return add("concat", name, {{"values", std::vector<Value*>{a, b}}, {"axis", -1}});
  }
};

constexpr const char* kHalvesTurned =
    "c mul: fused with y\n"
    "x1 slice_by_index: fused with y\n"
    "x2 slice_by_index: fused with y\n"
    "neg mul: fused with y\n"
    "turned concat: fused with y\n"
    "s mul: fused with y\n"
    "y add: rotary of 7 ops\n";

TEST_F(RotaryFusion, TakesHalvesTurnedByConcat) {
  Value* x = input("x", {1, 3, 5, 32});
  Value* cos = input("cos", {1, 1, 5, 32});
  Value* sin = input("sin", {1, 1, 5, 32});
  Value* c = add("mul", "c", x, cos);
  Value* x1 = part("x1", x, 0, 16);
  Value* neg = add("mul", "neg", part("x2", x, 16, 32), number(-1));
  Value* s = add("mul", "s", joined("turned", neg, x1), sin);
  EXPECT_EQ(check({add("add", "y", c, s)}), kHalvesTurned);
}

TEST_F(RotaryFusion, TakesHeadsOutOfWhatAProjectionGives) {
  // (B, S, C) seen as heads, as coremltools writes models of Hugging Face.
  Value* from = input("from", {1, 5, 96});
  Value* heads = add("reshape", "heads", {{"x", from}, {"shape", Ints{1, 5, 3, 32}}});
  Value* x = add("transpose", "x", {{"x", heads}, {"perm", Ints{0, 2, 1, 3}}});
  Value* cos = input("cos", {1, 5, 32});
  Value* sin = input("sin", {1, 5, 32});
  Value* c = add("mul", "c", x, cos);
  Value* x1 = part("x1", x, 0, 16);
  Value* neg = add("mul", "neg", part("x2", x, 16, 32), number(-1));
  Value* s = add("mul", "s", joined("turned", neg, x1), sin);
  EXPECT_EQ(
      check({add("add", "y", s, c)}),
      std::string("heads reshape: view of from\nx transpose: view of heads\n") + kHalvesTurned);
}

TEST_F(RotaryFusion, TakesHalvesBySplitPutTogetherAtTheEnd) {
  Value* x = input("x", {1, 2, 4, 20});
  Value* cos = input("cos", {1, 1, 4, 10});
  Value* sin = input("sin", {1, 1, 4, 10});
  mil::Op* halves =
      b_.add_op("split", "p", {{"x", x}, {"num_splits", 2}, {"axis", -1}}, {"a", "b"});
  Value* a = halves->output(0);
  Value* b = halves->output(1);
  Value* ac = add("mul", "ac", a, cos);
  Value* first = add("sub", "first", ac, add("mul", "bs", b, sin));
  Value* bc = add("mul", "bc", b, cos);
  Value* second = add("add", "second", bc, add("mul", "as", a, sin));
  EXPECT_EQ(check({joined("y", first, second)}),
            "p split: fused with y\n"
            "ac mul: fused with y\n"
            "bs mul: fused with y\n"
            "first sub: fused with y\n"
            "bc mul: fused with y\n"
            "as mul: fused with y\n"
            "second add: fused with y\n"
            "y concat: rotary of 8 ops\n");
}

TEST_F(RotaryFusion, LeavesOutWhatOthersSee) {
  Value* x = input("x", {1, 1, 2, 8});
  Value* cos = input("cos", {1, 1, 2, 8});
  Value* neg = add("mul", "neg", part("x2", x, 4, 8), number(-1));
  Value* turned = joined("turned", neg, part("x1", x, 0, 4));
  Value* c = add("mul", "c", x, cos);
  Value* y = add("add", "y", c, add("mul", "s", turned, cos));
  // Without the concat it is a chain of ops on elements.
  EXPECT_EQ(check({y, turned}),
            "x2 slice_by_index: view of x\n"
            "neg mul: binary\n"
            "x1 slice_by_index: view of x\n"
            "turned concat: concat\n"
            "c mul: fused with y\n"
            "s mul: fused with y\n"
            "y add: elementwise of 3 ops\n");
}

}  // namespace
}  // namespace anemone::engine
