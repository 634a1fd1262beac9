#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

class RepeatKvFusion : public Fusion {
 protected:
  // Each of 2 heads for 3 query heads.
  Value* repeated(Value* x, const std::string& name) {
    Value* e = add("expand_dims", (name + "_e").c_str(), {{"x", x}, {"axes", Ints{2}}});
    Value* t = add("tile", (name + "_t").c_str(), {{"x", e}, {"reps", Ints{1, 1, 3, 1, 1}}});
    return add("reshape", name.c_str(), {{"x", t}, {"shape", Ints{1, 6, 40, 16}}});
  }
};

constexpr const char* kRepetitions =
    "ks_e expand_dims: view of k\n"
    "ks_t tile: view of ks_e\n"
    "ks reshape: repetition of ks_t\n"
    "vs_e expand_dims: view of v\n"
    "vs_t tile: view of vs_e\n"
    "vs reshape: repetition of vs_t\n";

TEST_F(RepeatKvFusion, CopiesNothingForAttention) {
  Value* q = input("q", {1, 6, 9, 16});
  Value* k = repeated(input("k", {1, 2, 40, 16}), "ks");
  Value* v = repeated(input("v", {1, 2, 40, 16}), "vs");
  Value* s = add("matmul", "s", {{"x", q}, {"y", k}, {"transpose_y", true}});
  Value* w = add("softmax", "w", {{"x", s}, {"axis", -1}});
  EXPECT_EQ(check({add("matmul", "y", w, v)}), std::string(kRepetitions) +
                                                   "s matmul: fused with y\n"
                                                   "w softmax: fused with y\n"
                                                   "y matmul: attention tile\n");
}

TEST_F(RepeatKvFusion, CopiesNothingForTheOpOfAttention) {
  Value* q = input("q", {1, 6, 9, 16});
  Value* k = repeated(input("k", {1, 2, 40, 16}), "ks");
  Value* v = repeated(input("v", {1, 2, 40, 16}), "vs");
  Value* y = add("scaled_dot_product_attention", "y", {{"query", q}, {"key", k}, {"value", v}});
  EXPECT_EQ(check({y}),
            std::string(kRepetitions) + "y scaled_dot_product_attention: attention tile\n");
}

TEST_F(RepeatKvFusion, CopiesOnceForWhoeverNeedsTheElementsInARow) {
  Value* k = repeated(input("k", {1, 2, 40, 16}), "ks");
  EXPECT_EQ(check({add("relu", "a", {{"x", k}}), add("abs", "b", {{"x", k}}), k}),
            "ks_e expand_dims: view of k\n"
            "ks_t tile: view of ks_e\n"
            "ks reshape: repetition of ks_t\n"
            "ks : copy from fp32 [1\n"
            "a relu: unary\n"
            "b abs: unary\n");
}

}  // namespace
}  // namespace anemone::engine
