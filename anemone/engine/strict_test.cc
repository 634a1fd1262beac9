#include "anemone/engine/strict.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "anemone/base/half.h"
#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

using ::testing::ElementsAre;
constexpr float kInf = INFINITY;

Strictness with(Hazard hazard) {
  Strictness strictness;
  strictness.add(hazard);
  return strictness;
}
const Strictness kRoundsSums = {.rounds_sums = true};

Tensor halves(const Shape& shape, const std::vector<float>& values) {
  return Tensor::from_floats(DType::kF16, shape, values);
}

struct Case {
  const char* type;
  std::vector<std::pair<std::string, Tensor>> inputs;
  mil::Builder::Bindings constants = {};
};

// One op on fp16 inputs, by two threads; all outputs one after another.
std::vector<float> run(const Case& c, const Strictness& strictness) {
  auto program = std::make_shared<mil::Program>();
  mil::Function& function = program->add_function("main", mil::Opset::kIos18);
  mil::Builder builder(function);
  mil::Builder::Bindings bindings = c.constants;
  Tensors feeds;
  for (const auto& [name, tensor] : c.inputs) {
    bindings.emplace_back(name,
                          builder.input(name, mil::Type::tensor(tensor.dtype(), tensor.shape())));
    feeds[name] = tensor;
  }
  builder.set_outputs({builder.add(c.type, "result", std::move(bindings))});
  const auto executable = Executable::compile(
      program, "main", {.pool = std::make_shared<ThreadPool>(2), .strictness = strictness});
  return run_plan(*executable, nullptr, feeds).at("result").to_floats();
}

Case linear(const std::vector<float>& x, const std::vector<float>& w) {
  const auto n = static_cast<std::int64_t>(x.size());
  return {"linear",
          {{"x", halves({1, n}, x)}},
          {{"weight", halves({static_cast<std::int64_t>(w.size()) / n, n}, w)}}};
}

TEST(Hazards, HaveNamesSourcesAndBitsOfTheirOwn) {
  Strictness all;
  std::set<std::string_view> names;
  for (const HazardDef& def : all_hazards()) {
    EXPECT_FALSE(all.has(def.hazard)) << def.name;
    all.add(def.hazard);
    EXPECT_TRUE(names.insert(def.name).second);
    EXPECT_EQ(find_hazard(def.name), &def);
    EXPECT_FALSE(def.source.empty() || def.says.empty()) << def.name;
  }
  EXPECT_EQ(find_hazard("gremlins"), nullptr);
}

TEST(RoundedSums, LoseWhatIsTooSmallForTheSumSoFar) {
  // 2048 + 1 is 2048 in fp16; in fp32 the ones add up.
  std::vector<float> x(65, 1.0f);
  x[0] = 2048;
  const std::vector<float> ones(65, 1.0f);
  EXPECT_THAT(run(linear(x, ones), {}), ElementsAre(2112));
  EXPECT_THAT(run(linear(x, ones), kRoundsSums), ElementsAre(2048));
  const Case conv = {
      "conv", {{"x", halves({1, 65, 1, 1}, x)}}, {{"weight", halves({1, 65, 1, 1}, ones)}}};
  EXPECT_THAT(run(conv, {}), ElementsAre(2112));
  EXPECT_THAT(run(conv, kRoundsSums), ElementsAre(2048));
  const Case matmul = {"matmul", {{"x", halves({1, 65}, x)}, {"y", halves({65, 1}, ones)}}};
  EXPECT_THAT(run(matmul, kRoundsSums), ElementsAre(2048));
  const Case sum = {"reduce_sum",
                    {{"x", halves({65}, x)}},
                    {{"axes", std::vector<std::int64_t>{0}}, {"keep_dims", true}}};
  EXPECT_THAT(run(sum, {}), ElementsAre(2112));
  EXPECT_THAT(run(sum, kRoundsSums), ElementsAre(2048));
}

// Sums of a few numbers that fp16 adds without loss: every loop must find its operands.
TEST(RoundedSums, AreTheSameWhereNothingIsLost) {
  Numbers numbers(3);
  const auto whole = [&](const Shape& shape) {
    std::vector<float> values = numbers.tensor(DType::kF32, shape, -4, 4).to_floats();
    for (float& value : values) value = std::round(value);
    return halves(shape, values);
  };
  for (const bool turn_x : {false, true}) {
    for (const bool turn_y : {false, true}) {
      const Case c = {"matmul",
                      {{"x", whole(turn_x ? Shape{2, 1, 5, 3} : Shape{2, 1, 3, 5})},
                       {"y", whole(turn_y ? Shape{4, 7, 5} : Shape{4, 5, 7})}},
                      {{"transpose_x", turn_x}, {"transpose_y", turn_y}}};
      EXPECT_EQ(run(c, kRoundsSums), run(c, {})) << turn_x << turn_y;
    }
  }
  const Case conv = {"conv",
                     {{"x", whole({2, 5, 1, 3})}},
                     {{"weight", whole({4, 5, 1, 1})}, {"bias", whole({4})}}};
  EXPECT_EQ(run(conv, kRoundsSums), run(conv, {}));
  const Case of_rows = {
      "linear", {{"x", whole({2, 3, 5})}}, {{"weight", whole({4, 5})}, {"bias", whole({4})}}};
  EXPECT_EQ(run(of_rows, kRoundsSums), run(of_rows, {}));
  for (const std::int64_t axis : {1, 2}) {
    const Case sum = {"reduce_sum",
                      {{"x", whole({2, 3, 4})}},
                      {{"axes", std::vector<std::int64_t>{axis}}, {"keep_dims", false}}};
    EXPECT_EQ(run(sum, kRoundsSums), run(sum, {})) << axis;
  }
}

TEST(RoundedSums, StayNearWhereRoundingIsAllThatDiffers) {
  Numbers numbers(5);
  const Tensor x = numbers.tensor(DType::kF16, {2, 8, 6}, -3, 3);
  for (const std::int64_t axis : {1, 2}) {
    const Case softmax = {"softmax", {{"x", x}}, {{"axis", static_cast<int>(axis)}}};
    const Case norm = {"layer_norm",
                       {{"x", x}},
                       {{"axes", std::vector<std::int64_t>{axis}},
                        {"epsilon", Tensor::scalar(DType::kF16, 1e-3)}}};
    for (const Case& c : {softmax, norm}) {
      const auto strict = run(c, kRoundsSums), plain = run(c, {});
      ASSERT_EQ(strict.size(), plain.size());
      // A dozen roundings of 2^-11 each, of numbers up to 3.
      for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(strict[i], plain[i], 0.02);
    }
  }
}

TEST(ProductRange, MakesInfiniteWhatReachesHalfOfTheRange) {
  const Case c = linear({32, -1}, {1023, 0, 1024, 0, -1024, 0, 1024, 16});
  EXPECT_THAT(run(c, {}), ElementsAre(32736, 32768, -32768, 32752));
  EXPECT_THAT(run(c, with(Hazard::kProductRange)), ElementsAre(32736, kInf, -kInf, kInf));
  // Nothing but products.
  const Case sum = {"add", {{"x", halves({1}, {30000})}, {"y", halves({1}, {10000})}}};
  EXPECT_THAT(run(sum, with(Hazard::kProductRange)), ElementsAre(40000));
}

TEST(InnerOverflow, StrikesSquaresInsideNormsAndSumsInsideReductions) {
  const Case norm = {"layer_norm",
                     {{"x", halves({4}, {600, -600, 1, -1})}},
                     {{"axes", std::vector<std::int64_t>{0}}}};
  EXPECT_NEAR(run(norm, {})[0], std::sqrt(2.0f), 1e-2);
  const auto lost = run(norm, with(Hazard::kInnerOverflow));
  EXPECT_FALSE(std::abs(lost[0] - std::sqrt(2.0f)) < 0.5f);
  const Case mean = {"reduce_mean",
                     {{"x", halves({3}, {60000, 60000, 0})}},
                     {{"axes", std::vector<std::int64_t>{0}}, {"keep_dims", true}}};
  EXPECT_THAT(run(mean, {}), ElementsAre(40000));
  EXPECT_THAT(run(mean, with(Hazard::kInnerOverflow)), ElementsAre(kInf));
  const Case squares = {"reduce_sum_square",
                        {{"x", halves({2}, {200, 1})}},
                        {{"axes", std::vector<std::int64_t>{0}}, {"keep_dims", true}}};
  EXPECT_EQ(run(squares, with(Hazard::kInnerOverflow)), run(squares, {}));
}

TEST(Subnormals, BecomeZeroInResultsAndConstants) {
  const float least = std::ldexp(1.0f, -14), below = std::ldexp(1.0f, -15);
  const Case halved = {"mul",
                       {{"x", halves({3}, {2 * least, least, -least})}},
                       {{"y", Tensor::scalar(DType::kF16, 0.5)}}};
  EXPECT_THAT(run(halved, {}), ElementsAre(least, below, -below));
  EXPECT_THAT(run(halved, with(Hazard::kSubnormals)), ElementsAre(least, 0, 0));
  // 4096 times a constant of 2^-15.
  const Case constant = {
      "mul", {{"x", halves({1}, {4096})}}, {{"y", Tensor::scalar(DType::kF16, below)}}};
  EXPECT_THAT(run(constant, {}), ElementsAre(0.125f));
  EXPECT_THAT(run(constant, with(Hazard::kSubnormals)), ElementsAre(0));
}

TEST(SliceRange, StrikesLargeElementsThatAreNotAtTheStartOfTheLastAxis) {
  const auto slice = [](std::vector<std::int64_t> begin, std::vector<std::int64_t> end) {
    return Case{"slice_by_index",
                {{"x", halves({2, 3}, {5000, 5000, 4000, 1, -6000, 7000})}},
                {{"begin", begin}, {"end", end}}};
  };
  const Strictness strictness = with(Hazard::kSliceRange);
  EXPECT_THAT(run(slice({0, 1}, {2, 3}), strictness), ElementsAre(kInf, 4000, -kInf, kInf));
  EXPECT_THAT(run(slice({1, 0}, {2, 3}), strictness), ElementsAre(1, -6000, 7000));
  EXPECT_THAT(run(slice({0, 1}, {2, 3}), {}), ElementsAre(5000, 4000, -6000, 7000));
}

TEST(Int8Range, CutsOffInputsOfProductsWithInt8Weights) {
  auto program = std::make_shared<mil::Program>();
  mil::Function& function = program->add_function("main", mil::Opset::kIos18);
  mil::Builder builder(function);
  mil::Value* x = builder.input("x", mil::Type::tensor(DType::kF16, {1, 2}));
  const std::int64_t weights[] = {2, 1};
  mil::Value* w =
      builder.add("constexpr_affine_dequantize", "w",
                  {{"quantized_data", Tensor::from_ints(DType::kI8, {1, 2}, weights)},
                   {"zero_point", Tensor::from_ints(DType::kI8, {}, std::vector<std::int64_t>{0})},
                   {"scale", Tensor::scalar(DType::kF16, 1)},
                   {"axis", 0}});
  builder.set_outputs({builder.add("linear", "result", {{"x", x}, {"weight", w}})});
  const Tensors feeds = {{"x", halves({1, 2}, {5000, -1})}};
  const auto result = [&](const Strictness& strictness) {
    const auto executable = Executable::compile(program, "main", {.strictness = strictness});
    return run_plan(*executable, nullptr, feeds).at("result").to_floats();
  };
  EXPECT_THAT(result({}), ElementsAre(round_to_f16(9999)));
  EXPECT_THAT(result(with(Hazard::kInt8Range)), ElementsAre(round_to_f16(8187)));
  // Weights of another kind are not concerned.
  EXPECT_THAT(run(linear({5000, -1}, {2, 1}), with(Hazard::kInt8Range)),
              ElementsAre(round_to_f16(9999)));
}

TEST(MaskedInfinity, SpoilsTheWholeRow) {
  const Case c = {"softmax", {{"x", halves({2, 2}, {0, -kInf, 0, -1e4f})}}, {{"axis", -1}}};
  EXPECT_THAT(run(c, {}), ElementsAre(1, 0, 1, 0));
  const auto spoilt = run(c, with(Hazard::kMaskedInfinity));
  EXPECT_TRUE(std::isnan(spoilt[0]) && std::isnan(spoilt[1]));
  EXPECT_EQ(spoilt[2], 1);
}

TEST(Strictness, SaysInThePlanWhichOpsItChanged) {
  auto program = std::make_shared<mil::Program>();
  mil::Function& function = program->add_function("main", mil::Opset::kIos18);
  mil::Builder builder(function);
  mil::Value* x = builder.input("x", mil::Type::tensor(DType::kF16, {4}));
  builder.set_outputs({builder.add("softmax", "y", {{"x", x}, {"axis", 0}})});
  const auto executable = Executable::compile(program, "main", {.strictness = kRoundsSums});
  EXPECT_THAT(executable->plan_text(), ::testing::HasSubstr("strict sums one by one"));
}

}  // namespace
}  // namespace anemone::engine
