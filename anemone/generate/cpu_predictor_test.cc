#include <gtest/gtest.h>

#include "anemone/generate/predictor.h"
#include "anemone/mil/builder.h"
#include "anemone/package/package.h"
#include "anemone/testing/message_of.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::generate {
namespace {

using mil::Builder;
using mil::Type;
using mil::Value;
using testing::message_of;
using testing::TempDir;

// s += x, and y is `factor` times the new s.
void add_function(mil::Program& program, const std::string& name, double factor) {
  Builder b(program.add_function(name, mil::Opset::kIos18));
  Value* x = b.input("x", Type::tensor(DType::kF16, {1, 2}));
  Value* s = b.input("s", Type::state(DType::kF16, {1, 2}));
  Value* before = b.add("read_state", "before", {{"input", s}});
  Value* sum = b.add("add", "sum", {{"x", before}, {"y", x}});
  b.add_op("write_state", "write", {{"input", s}, {"data", sum}}, {});
  Value* after = b.add("read_state", "after", {{"input", s}});
  b.set_outputs({b.add("mul", "y", {{"x", after}, {"y", Tensor::scalar(DType::kF16, factor)}})});
}

class CpuPredictorTest : public ::testing::Test {
 protected:
  CpuPredictorTest() {
    package::Model model;
    add_function(model.program, "decode", 1);
    add_function(model.program, "prefill", 2);
    model.default_function = "decode";
    model.is_multifunction = true;
    package::save(model, path_);
  }

  std::vector<float> predict(Predictor& predictor, const char* function, PredictorState* state,
                             std::vector<float> x) {
    std::vector<float> y(2);
    const engine::Feed feeds[] = {{"x", DType::kF32, x.data(), 2}};
    const engine::Fetch fetches[] = {{"y", DType::kF32, y.data(), 2}};
    predictor.predict(function, feeds, state, fetches);
    return y;
  }

  TempDir dir_;
  std::filesystem::path path_ = dir_ / "sum.mlpackage";
};

TEST_F(CpuPredictorTest, TellsWhatEachFunctionTakesAndGives) {
  const auto predictor = open_cpu_predictor(path_, {});
  ASSERT_EQ(predictor->functions().size(), 2u);
  const FunctionInterface* decode = predictor->find_function("decode");
  ASSERT_NE(decode, nullptr);
  ASSERT_EQ(decode->inputs.size(), 1u);
  EXPECT_EQ(decode->find_input("x")->type, Type::tensor(DType::kF16, {1, 2}));
  ASSERT_EQ(decode->states.size(), 1u);
  EXPECT_EQ(decode->states[0].type, Type::tensor(DType::kF16, {1, 2}));
  EXPECT_EQ(decode->find_output("y")->type, Type::tensor(DType::kF16, {1, 2}));
  EXPECT_EQ(decode->find_output("x"), nullptr);
  EXPECT_EQ(predictor->find_function("score"), nullptr);
}

TEST_F(CpuPredictorTest, FunctionsShareAStateAndStatesShareNothing) {
  const auto predictor = open_cpu_predictor(path_, {});
  const auto a = predictor->make_state();
  const auto b = predictor->make_state();
  EXPECT_GE(a->size_bytes(), 4u);  // two fp16, in a line of memory of their own
  EXPECT_EQ(predict(*predictor, "decode", a.get(), {1, 2}), (std::vector<float>{1, 2}));
  EXPECT_EQ(predict(*predictor, "prefill", a.get(), {1, 2}), (std::vector<float>{4, 8}));
  EXPECT_EQ(predict(*predictor, "prefill", b.get(), {5, 0}), (std::vector<float>{10, 0}));
  EXPECT_EQ(predict(*predictor, "decode", a.get(), {0, 0}), (std::vector<float>{2, 4}));
  a->reset();
  EXPECT_EQ(predict(*predictor, "decode", a.get(), {3, 3}), (std::vector<float>{3, 3}));
}

TEST_F(CpuPredictorTest, KeepsFullPrecisionIfAskedTo) {
  const float third = 1.0f / 3;
  const auto half = open_cpu_predictor(path_, {});
  EXPECT_EQ(predict(*half, "decode", half->make_state().get(), {third, 0})[0], round_to_f16(third));
  engine::Options exact;
  exact.arithmetic = engine::Arithmetic::kFloat32;
  const auto full = open_cpu_predictor(path_, exact);
  EXPECT_EQ(predict(*full, "decode", full->make_state().get(), {third, 0})[0], third);
}

TEST_F(CpuPredictorTest, NamesThePackage) {
  const auto predictor = open_cpu_predictor(path_, {});
  const auto message = message_of([&] { predictor->prepare("score"); });
  EXPECT_EQ(message.substr(0, 11 + path_.string().size()), "not-found: " + path_.string());
  EXPECT_NE(message.find("score"), std::string::npos);
  EXPECT_NE(message_of([&] { open_cpu_predictor(dir_ / "none.mlpackage", {}); }).find("none"),
            std::string::npos);
}

}  // namespace
}  // namespace anemone::generate
