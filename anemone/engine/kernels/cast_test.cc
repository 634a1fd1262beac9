#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

TEST(CastKernel, GoesBetweenFloatsIntegersAndBools) {
  Numbers numbers(1);
  for (const DType from : {DType::kF16, DType::kI32, DType::kBool}) {
    for (const char* to : {"fp16", "fp32", "int32", "bool"}) {
      const bool is_bool = from == DType::kBool;
      const Tensor x = numbers.tensor(from, {3, 17}, is_bool ? 0 : -9, is_bool ? 2 : 9);
      const bool is_view = name(from) == to || (from == DType::kF16 && std::string(to) == "fp32");
      check_op({"cast", is_view ? "view of" : "cast", {{"x", x}}, {{"dtype", to}}, {}});
    }
  }
}

TEST(CastKernel, SaturatesAndRounds) {
  const std::vector<float> values = {1e10f, -1e10f, 2147483520.0f, 70000, 0.1f, -2.9f, 65519};
  const Tensor x = Tensor::from_floats(DType::kF32, {7}, values);
  for (const char* to : {"int32", "bool"}) {
    check_op({"cast", "cast", {{"x", x}}, {{"dtype", to}}, {}, DType::kF32});
  }
}

TEST(CastKernel, RoundsToFp16OnlyInFp16Arithmetic) {
  auto program = std::make_shared<mil::Program>();
  mil::Builder b(program->add_function("main", mil::Opset::kIos18));
  mil::Value* x = b.input("x", mil::Type::tensor(DType::kF32, {2}));
  b.set_outputs({b.add("cast", "y", {{"x", x}, {"dtype", "fp16"}})});
  const std::vector<float> values = {0.1f, 1e6f};
  const Tensors inputs = {{"x", Tensor::from_floats(DType::kF32, {2}, values)}};
  const auto run = [&](Arithmetic arithmetic) {
    Options options;
    options.arithmetic = arithmetic;
    return run_plan(*Executable::compile(program, "main", options), nullptr, inputs)
        .at("y")
        .to_floats();
  };
  EXPECT_EQ(run(Arithmetic::kFloat16), (std::vector<float>{round_to_f16(0.1f), HUGE_VALF}));
  EXPECT_EQ(run(Arithmetic::kFloat32), values);
}

}  // namespace
}  // namespace anemone::engine
