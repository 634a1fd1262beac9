#include "anemone/engine/reference.h"

#include <gtest/gtest.h>

#include "anemone/base/error.h"
#include "anemone/mil/builder.h"

namespace anemone::engine {
namespace {

std::shared_ptr<mil::Program> counter() {
  auto program = std::make_shared<mil::Program>();
  mil::Builder b(program->add_function("main", mil::Opset::kIos18));
  mil::Value* state = b.input("total", mil::Type::state(DType::kF16, {2}));
  mil::Value* x = b.input("x", mil::Type::tensor(DType::kF16, {2}));
  mil::Value* sum =
      b.add("add", "sum", {{"x", b.add("read_state", "old", {{"input", state}})}, {"y", x}});
  b.add_op("write_state", "write", {{"input", state}, {"data", sum}}, {});
  b.set_outputs({sum});
  return program;
}

Tensor floats(std::vector<float> values) {
  return Tensor::from_floats(DType::kF32, {static_cast<std::int64_t>(values.size())}, values);
}

TEST(Reference, KeepsStatesFromRunToRun) {
  Reference reference(counter());
  reference.run("main", {{"x", floats({1, 0.5f})}});
  const auto outputs = reference.run("main", {{"x", floats({1, 0.5f})}});
  EXPECT_EQ(outputs.at("sum").to_floats(), (std::vector<float>{2, 1}));
  EXPECT_EQ(reference.state("total").to_floats(), (std::vector<float>{2, 1}));
  reference.set_state("total", floats({5, 5}));
  EXPECT_EQ(reference.run("main", {{"x", floats({1, 1})}}).at("sum").to_floats(),
            (std::vector<float>{6, 6}));
}

TEST(Reference, RoundsToTheDeclaredTypeOrNotAtAll) {
  const std::vector<float> x = {0.1f, 2049};
  Reference halves(counter());
  EXPECT_EQ(halves.run("main", {{"x", floats(x)}}).at("sum").to_floats(),
            (std::vector<float>{round_to_f16(0.1f), 2048}));
  Reference singles(counter(), Arithmetic::kFloat32);
  EXPECT_EQ(singles.run("main", {{"x", floats(x)}}).at("sum").to_floats(), x);
}

TEST(Reference, NamesWhatItLacks) {
  Reference reference(counter());
  const auto message = [&](const Reference::Tensors& inputs) -> std::string {
    try {
      reference.run("main", inputs);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({}), "function 'main' lacks input 'x'");
  EXPECT_EQ(message({{"x", floats({1})}}),
            "input 'x' has shape [1]; declared is tensor<fp16, [2]>");
}

}  // namespace
}  // namespace anemone::engine
