// Inputs at which forms of an op that look harmless fall off a cliff in fp16: the engine's do not.
#include <gmock/gmock.h>

#include <cmath>

#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

std::vector<float> run(const char* type, const Tensor& x, mil::Builder::Bindings constants) {
  auto program = std::make_shared<mil::Program>();
  mil::Function& function = program->add_function("main", mil::Opset::kIos18);
  mil::Builder builder(function);
  constants.emplace_back("x", builder.input("x", mil::Type::tensor(DType::kF16, x.shape())));
  builder.set_outputs({builder.add(type, "y", std::move(constants))});
  const auto executable = Executable::compile(program, "main", {});
  return run_plan(*executable, nullptr, {{"x", x}}).at("y").to_floats();
}

Tensor halves(const Shape& shape, const std::vector<float>& values) {
  return Tensor::from_floats(DType::kF16, shape, values);
}

TEST(Fp16Forms, SoftmaxOfARowThatIsHiddenWholeIsNanForInfinitiesAndEvenForFiniteMasks) {
  const float inf = INFINITY;
  const auto rows = run("softmax",
                        halves({3, 4}, {-inf, -inf, -inf, -inf,          //
                                        -65504, -65504, -65504, -65504,  //
                                        1, 1, -inf, -65504}),
                        {{"axis", -1}});
  const auto row = [&](std::size_t i) {
    return std::vector<float>(rows.begin() + static_cast<std::ptrdiff_t>(i * 4),
                              rows.begin() + static_cast<std::ptrdiff_t>(i * 4 + 4));
  };
  // As torch's softmax.
  EXPECT_THAT(row(0), Each(::testing::IsNan()));
  EXPECT_THAT(row(1), Each(0.25f));
  EXPECT_THAT(row(2), ElementsAre(0.5f, 0.5f, 0, 0));
}

TEST(Fp16Forms, LogSumExpOfManyEightsDoesNotSaturate) {
  // e^8 * 32 is 95,390, more than fp16 holds; the result is 8 + log 32.
  const auto y = run("reduce_log_sum_exp", halves({1, 32}, std::vector<float>(32, 8.0f)),
                     {{"axes", std::vector<std::int64_t>{1}}, {"keep_dims", false}});
  ASSERT_EQ(y.size(), 1u);
  EXPECT_NEAR(y[0], 8 + std::log(32.0f), 0.005);
}

TEST(Fp16Forms, SoftplusFollowsItsInputWhereExpWouldOverflow) {
  const auto y = run("softplus", halves({4}, {11, 12, 16, 20}), {});
  EXPECT_THAT(y, ElementsAre(11, 12, 16, 20));
}

TEST(Fp16Forms, SiluOfLargeInputsIsTheInputOrZero) {
  const auto y = run("silu", halves({3}, {60000, -60000, 0}), {});
  EXPECT_THAT(y, ElementsAre(60000, 0, 0));
}

TEST(Fp16Forms, LayerNormOfARowOfThreeHundredsDoesNotOverflow) {
  // 300^2 is more than fp16 holds: concat(x, -x) of which the first half is the RMS norm of x.
  std::vector<float> both(2048, 300.0f);
  std::fill(both.begin() + 1024, both.end(), -300.0f);
  const auto y =
      run("layer_norm", halves({1, 2048}, both),
          {{"axes", std::vector<std::int64_t>{1}}, {"epsilon", Tensor::scalar(DType::kF16, 1e-6)}});
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(y[2047], -1);
}

}  // namespace
}  // namespace anemone::engine
