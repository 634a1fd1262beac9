#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

// check_op binds one value a parameter; these ops take several.
void check_joined(const std::string& op, const std::vector<Tensor>& values, int axis,
                  mil::Builder::Bindings more, const std::string& kernel) {
  auto program = std::make_shared<mil::Program>();
  mil::Builder b(program->add_function("main", mil::Opset::kIos18));
  Tensors inputs;
  std::vector<mil::Value*> bound;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string name = "x" + std::to_string(i);
    inputs[name] = values[i];
    bound.push_back(b.input(name, mil::Type::tensor(values[i].dtype(), values[i].shape())));
  }
  more.push_back({"values", bound});
  more.push_back({"axis", axis});
  b.set_outputs({b.add(op, "y", more)});
  const Tensor expected = Reference(program).run("main", inputs).at("y");
  for (const std::string& target : supported_targets()) {
    set_target_for_test(target);
    const auto executable = Executable::compile(program, "main");
    EXPECT_NE(executable->plan_text().find("y " + op + ": " + kernel), std::string::npos)
        << executable->plan_text();
    const Tensor actual = run_plan(*executable, nullptr, inputs).at("y");
    EXPECT_EQ(actual.to_doubles(), expected.to_doubles()) << op << " on axis " << axis;
  }
  set_target_for_test("");
}

TEST(ConcatKernel, JoinsAlongAnyAxisAndDtype) {
  Numbers numbers(1);
  for (const DType dtype : {DType::kF16, DType::kI32, DType::kBool}) {
    for (const int axis : {0, 1, 2, -1}) {
      std::vector<Tensor> values;
      for (const std::int64_t extent : {1, 17, 2}) {
        Shape shape = {2, 3, 5};
        shape[static_cast<std::size_t>(axis < 0 ? axis + 3 : axis)] = extent;
        values.push_back(numbers.tensor(dtype, shape, 0, 2));
      }
      check_joined("concat", values, axis, {{"interleave", false}}, "concat");
    }
  }
}

TEST(ConcatKernel, StacksAlongANewAxis) {
  Numbers numbers(2);
  for (const int axis : {0, 1, 2}) {
    check_joined("stack",
                 {numbers.tensor(DType::kF16, {3, 17}), numbers.tensor(DType::kF16, {3, 17})}, axis,
                 {}, "concat");
  }
}

TEST(ConcatKernel, LeavesInterleavingToTheDefinition) {
  Numbers numbers(3);
  check_joined("concat", {numbers.tensor(DType::kF16, {3, 4}), numbers.tensor(DType::kF16, {3, 4})},
               1, {{"interleave", true}}, "eval");
}

}  // namespace
}  // namespace anemone::engine
