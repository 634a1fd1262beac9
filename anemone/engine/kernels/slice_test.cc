#include "anemone/base/error.h"
#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

Tensor ints(std::vector<std::int64_t> values) { return Tensor::ints(values); }

TEST(SliceKernel, TakesItsPlaceFromTheCall) {
  Numbers numbers(1);
  const Tensor x = numbers.tensor(DType::kF16, {6, 5, 17});
  for (const auto& begin : {ints({0, 0, 0}), ints({2, 1, 3}), ints({-3, -2, -14})}) {
    check_op({"slice_by_size",
              "slice",
              {{"x", x}, {"begin", begin}},
              {{"size", std::vector<std::int64_t>{2, 1, 9}}},
              {}});
  }
}

TEST(SliceKernel, RefusesAPlaceOutside) {
  auto program = std::make_shared<mil::Program>();
  mil::Builder b(program->add_function("main", mil::Opset::kIos18));
  mil::Value* x = b.input("x", mil::Type::tensor(DType::kF16, {8}));
  mil::Value* begin = b.input("begin", mil::Type::tensor(DType::kI32, {1}));
  b.set_outputs({b.add("slice_by_size", "y",
                       {{"x", x}, {"begin", begin}, {"size", std::vector<std::int64_t>{3}}})});
  const auto executable = Executable::compile(program, "main");
  Numbers numbers(2);
  Tensors inputs = {{"x", numbers.tensor(DType::kF16, {8})}, {"begin", ints({5})}};
  EXPECT_EQ(run_plan(*executable, nullptr, inputs).at("y").number(0), inputs["x"].number(5));
  inputs["begin"] = ints({6});
  try {
    run_plan(*executable, nullptr, inputs);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "op 'y' (slice_by_size): takes 3 elements from 6 on along axis 0, which has 8; "
                 "the plan needs 3");
  }
}

}  // namespace
}  // namespace anemone::engine
