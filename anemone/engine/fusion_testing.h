#pragma once

#include <sstream>

#include "anemone/engine/testing.h"

// For the tests of fusions: programs that must give the same bits fused and op by op.
namespace anemone::engine {

class Fusion : public ::testing::Test {
 protected:
  using Ints = std::vector<std::int64_t>;
  using Value = mil::Value;

  Fusion()
      : program_(std::make_shared<mil::Program>()),
        b_(program_->add_function("main", mil::Opset::kIos18)) {}

  Value* input(const char* name, Shape shape, DType dtype = DType::kF16) {
    inputs_[name] = numbers_.tensor(dtype, shape, -2, 2);
    return b_.input(name, mil::Type::tensor(dtype, shape));
  }
  Value* add(const char* op, const char* name, mil::Builder::Bindings bindings) {
    return b_.add(op, name, std::move(bindings));
  }
  Value* add(const char* op, const char* name, Value* x, mil::Builder::Binding y) {
    return b_.add(op, name, {{"x", x}, {"y", std::move(y)}});
  }
  Tensor random(Shape shape) { return numbers_.tensor(DType::kF16, shape); }
  static Tensor number(double value) { return Tensor::scalar(DType::kF16, value); }
  Value* mean(const char* name, Value* x, const char* op = "reduce_mean") {
    return b_.add(op, name, {{"x", x}, {"axes", Ints{-1}}, {"keep_dims", true}});
  }

  // Runs the program in both arithmetics, by every target, with one and with three threads, fused
  // and not: all must have the same bits for one target. Against the reference, `ulps` at 8. Gives
  // what the plan says of each op, up to the first comma.
  std::string check(std::vector<Value*> outputs, double ulps = 64) {
    b_.set_outputs(std::move(outputs));
    std::string said;
    for (const Arithmetic arithmetic : {Arithmetic::kFloat16, Arithmetic::kFloat32}) {
      const Tensors expected = Reference(program_, arithmetic).run("main", inputs_);
      for (const std::string& target : supported_targets()) {
        set_target_for_test(target);
        const Tensors apart = run({.arithmetic = arithmetic, .fuse = false}, said);
        for (const int threads : {3, 1}) {
          Options options{.arithmetic = arithmetic};
          if (threads > 1) options.pool = std::make_shared<ThreadPool>(threads);
          const Tensors fused = run(options, said);
          for (const auto& [name, tensor] : expected) {
            EXPECT_EQ(fused.at(name), apart.at(name)) << name << " on " << target << "\n" << said;
            expect_close(fused.at(name), tensor, tensor.dtype(), {ulps, 8}, name + "\n" + said);
          }
        }
      }
    }
    set_target_for_test("");
    return said;
  }

 private:
  Tensors run(const Options& options, std::string& said) {
    const auto executable = Executable::compile(program_, "main", options);
    const PlanReport report = executable->plan_report();
    said.clear();
    for (const PlanReport::Line& line : report.lines) {
      std::string text = line.name + " " + line.op + ": " + line.how;
      if (!line.fused_with.empty()) text += " with " + line.fused_with;
      said += text.substr(0, text.find(',')) + "\n";
    }
    return run_plan(*executable, nullptr, inputs_);
  }

 protected:
  std::shared_ptr<mil::Program> program_;
  mil::Builder b_;
  Numbers numbers_{1};
  Tensors inputs_;
};

}  // namespace anemone::engine
