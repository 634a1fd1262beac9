#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

TEST(ElementwiseFusion, HasTheGoldensBeforeAndAfter) { check_fusion_goldens("elementwise"); }

TEST(ElementwiseFusion, TakesChainsAtEveryLength) {
  for (const std::int64_t length : {1, 7, 17, 1023, 1025, 5000}) {
    const auto program = std::make_shared<mil::Program>();
    mil::Builder b(program->add_function("main", mil::Opset::kIos18));
    Numbers numbers(1);
    const Tensors inputs = {{"x", numbers.tensor(DType::kF16, {3, length}, -2, 2)},
                            {"z", numbers.tensor(DType::kF16, {3, 1}, -2, 2)}};
    mil::Value* x = b.input("x", mil::Type::tensor(DType::kF16, {3, length}));
    mil::Value* z = b.input("z", mil::Type::tensor(DType::kF16, {3, 1}));
    mil::Value* t = b.add("add", "t", {{"x", b.add("tanh", "s", {{"x", x}})}, {"y", z}});
    b.set_outputs({b.add("maximum", "y", {{"x", t}, {"y", x}})});
    EXPECT_EQ(check_fusion(program, inputs),
              "s tanh: fused with y\n"
              "t add: fused with y\n"
              "y maximum: elementwise of 3 ops\n");
  }
}

// Rows that lie across go by blocks of columns: every width around a block's, and every length
// around the four chains of a sum.
TEST(ElementwiseFusion, TakesNormsAcrossAtEveryWidthAndLength) {
  for (const std::int64_t length : {2, 5, 130, 600}) {
    for (const std::int64_t width : {2, 16, 17, 70}) {
      const auto program = std::make_shared<mil::Program>();
      mil::Builder b(program->add_function("main", mil::Opset::kIos18));
      Numbers numbers(1);
      const Shape shape = {2, length, 1, width};
      const Tensors inputs = {{"x", numbers.tensor(DType::kF16, shape, -2, 2)}};
      mil::Value* x = b.input("x", mil::Type::tensor(DType::kF16, shape));
      mil::Value* s = b.add("mul", "s", {{"x", x}, {"y", x}});
      mil::Value* m =
          b.add("reduce_mean", "m",
                {{"x", s}, {"axes", std::vector<std::int64_t>{1}}, {"keep_dims", true}});
      mil::Value* r =
          b.add("rsqrt", "r", {{"x", m}, {"epsilon", Tensor::scalar(DType::kF16, 1e-3)}});
      mil::Value* n = b.add("mul", "n", {{"x", x}, {"y", r}});
      const Tensor gamma = numbers.tensor(DType::kF16, {1, length, 1, 1});
      b.set_outputs({b.add("mul", "y", {{"x", n}, {"y", gamma}})});
      EXPECT_NE(check_fusion(program, inputs).find("y mul: rms_norm of 5 ops"), std::string::npos)
          << length << " by " << width;
    }
  }
}

}  // namespace
}  // namespace anemone::engine
