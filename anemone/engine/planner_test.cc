#include "anemone/engine/planner.h"

#include "anemone/base/error.h"
#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

using mil::Type;
using mil::Value;
using Ints = std::vector<std::int64_t>;

class Plans : public ::testing::Test {
 protected:
  Plans()
      : program_(std::make_shared<mil::Program>()),
        b_(program_->add_function("main", mil::Opset::kIos18)) {}

  Value* input(const char* name, DType dtype, Shape shape) {
    inputs_[name] = numbers_.tensor(dtype, shape, is_float(dtype) ? 0.5 : 1, 3);
    return b_.input(name, Type::tensor(dtype, shape));
  }
  // Compiles, compares with the reference to the bit, gives the plan's text.
  std::string check(std::vector<Value*> outputs) {
    b_.set_outputs(std::move(outputs));
    const auto executable = Executable::compile(program_, "main");
    const Tensors expected = Reference(program_).run("main", inputs_);
    const Tensors actual = run_plan(*executable, nullptr, inputs_);
    for (const auto& [name, tensor] : expected) {
      EXPECT_EQ(actual.at(name).to_doubles(), tensor.to_doubles()) << executable->plan_text();
    }
    return executable->plan_text();
  }

  std::shared_ptr<mil::Program> program_;
  mil::Builder b_;
  Numbers numbers_{1};
  Tensors inputs_;
};

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST_F(Plans, FoldWhatIsKnownAndDropWhatIsNotNeeded) {
  Value* x = input("x", DType::kF16, {3});
  Value* two = b_.add(
      "add", "two", {{"x", Tensor::scalar(DType::kF16, 1)}, {"y", Tensor::scalar(DType::kF16, 1)}});
  b_.add("exp", "unused", {{"x", x}});
  const std::string text = check({b_.add("mul", "y", {{"x", x}, {"y", two}})});
  EXPECT_FALSE(has(text, "two")) << text;
  EXPECT_FALSE(has(text, "unused")) << text;
  EXPECT_TRUE(has(text, "function main: 1 steps")) << text;
}

TEST_F(Plans, GiveBackConstantsAndInputs) {
  Value* x = input("x", DType::kF16, {3});
  Value* c = b_.constant("c", numbers_.tensor(DType::kF16, {2, 2}));
  const std::string text = check({b_.add("identity", "y", {{"x", x}}), c});
  EXPECT_TRUE(has(text, "function main: 0 steps")) << text;
}

TEST_F(Plans, MoveNothingForReshapesSlicesSplitsAndUnitTransposes) {
  Value* x = input("x", DType::kF16, {1, 4, 1, 6});
  Value* y = b_.add("transpose", "t", {{"x", x}, {"perm", Ints{0, 2, 1, 3}}});
  y = b_.add("squeeze", "s", {{"x", y}, {"axes", Ints{1}}});
  y = b_.add("reshape", "r", {{"x", y}, {"shape", Ints{2, 12}}});
  y = b_.add("slice_by_index", "i", {{"x", y}, {"begin", Ints{1, 0}}, {"end", Ints{2, 12}}});
  y = b_.add("slice_by_size", "z", {{"x", y}, {"begin", Ints{0, 3}}, {"size", Ints{1, 8}}});
  mil::Op* split = b_.add_op("split", "p", {{"x", y}, {"num_splits", 2}, {"axis", 1}}, {"a", "b"});
  Value* sum = b_.add("add", "sum", {{"x", split->output(0)}, {"y", split->output(1)}});
  const std::string text = check({sum, split->output(1)});
  EXPECT_TRUE(has(text, "function main: 1 steps")) << text;
}

TEST_F(Plans, CopyAViewOnceForAllWhoNeedItsElementsInARow) {
  Value* x = input("x", DType::kF16, {5, 7});
  Value* turned = b_.add("transpose", "turned", {{"x", x}, {"perm", Ints{1, 0}}});
  const std::string text =
      check({b_.add("relu", "a", {{"x", turned}}), b_.add("abs", "b", {{"x", turned}})});
  EXPECT_TRUE(has(text, "turned: copy from fp32 [7, 5] by [1, 7]")) << text;
  EXPECT_TRUE(has(text, "function main: 3 steps")) << text;
}

TEST_F(Plans, ReadLargeHalvesWhereTheCallerHasThem) {
  Value* x = input("x", DType::kF16, {4, 512, 256});
  Value* part = b_.add("slice_by_index", "part",
                       {{"x", x}, {"begin", Ints{2, 0, 0}}, {"end", Ints{3, 512, 256}}});
  const std::string text = check({b_.add("relu", "y", {{"x", part}})});
  EXPECT_TRUE(has(text, "part: copy from fp16 [1, 512, 256] at 262144")) << text;
}

TEST_F(Plans, FallBackToTheDefinitionAndSaySo) {
  Value* x = input("x", DType::kF16, {2, 5});
  Value* n = input("n", DType::kI32, {2, 5});
  std::vector<Value*> outputs;
  for (const char* op : {"atan", "log", "sin", "softplus", "sinh"}) {
    outputs.push_back(b_.add(op, std::string(op) + "_y", {{"x", x}}));
  }
  for (const char* op : {"floor_div", "mod", "pow"}) {
    outputs.push_back(b_.add(op, std::string(op) + "_y", {{"x", x}, {"y", x}}));
    outputs.push_back(b_.add(op, std::string(op) + "_n", {{"x", n}, {"y", n}}));
  }
  outputs.push_back(b_.add("cast", "small", {{"x", n}, {"dtype", "int8"}}));
  outputs.push_back(b_.add("tile", "tiled", {{"x", x}, {"reps", Ints{2, 3}}}));
  const std::string text = check(outputs);
  EXPECT_TRUE(has(text, "atan_y atan: eval")) << text;
  EXPECT_TRUE(has(text, "mod_n mod: eval")) << text;
  EXPECT_TRUE(has(text, "small cast: eval")) << text;
}

// The definition reads what was folded long after the planner has gone.
TEST_F(Plans, KeepWhatWasFoldedForTheDefinition) {
  Value* x = input("x", DType::kF16, {2, 300});
  Value* folded = b_.add("add", "folded",
                         {{"x", numbers_.tensor(DType::kF16, {2, 300}, 0.5, 3)},
                          {"y", numbers_.tensor(DType::kF16, {2, 300}, 0.5, 3)}});
  Value* weight = b_.add("constexpr_lut_to_dense", "weight",
                         {{"indices", numbers_.tensor(DType::kU4, {2, 300}, 0, 15)},
                          {"lut", numbers_.tensor(DType::kF16, {1, 1, 16, 1}, 0.5, 3)}});
  const std::string text = check({b_.add("mod", "a", {{"x", x}, {"y", folded}}),
                                  b_.add("mod", "b", {{"x", x}, {"y", weight}})});
  EXPECT_TRUE(has(text, "a mod: eval")) << text;
  EXPECT_FALSE(has(text, "folded")) << text;
}

TEST_F(Plans, TakeTensorsWithoutElements) {
  Value* x = input("x", DType::kF16, {3, 4});
  Value* none =
      b_.add("slice_by_index", "none", {{"x", x}, {"begin", Ints{2, 0}}, {"end", Ints{2, 4}}});
  check({b_.add("relu", "r", {{"x", none}}), b_.add("add", "a", {{"x", none}, {"y", none}}),
         b_.add("concat", "c", {{"values", std::vector<Value*>{none, x}}, {"axis", 0}}),
         b_.add("transpose", "t", {{"x", none}, {"perm", Ints{1, 0}}})});
}

TEST_F(Plans, RefuseShapesThatOnlyACallFixes) {
  Value* x = b_.input("x", Type::tensor(DType::kF16, {1, kUnknown}));
  b_.set_outputs({b_.add("relu", "y", {{"x", x}})});
  try {
    Executable::compile(program_, "main");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "function 'main': input 'x' is tensor<fp16, [1, ?]>; the engine needs every extent "
        "before the call");
    EXPECT_EQ(error.code(), Code::kUnsupported);
  }
}

TEST_F(Plans, AddUpWhereTheTimeGoes) {
  Value* x = input("x", DType::kF16, {3});
  b_.set_outputs({b_.add("relu", "y", {{"x", b_.add("relu", "z", {{"x", x}})}})});
  const auto executable = Executable::compile(program_, "main", {.fuse = false});
  const Feed feed{"x", DType::kF16, inputs_["x"].data().data(), 3};
  const std::string text = executable->profile({&feed, 1}, nullptr, {}, 3);
  EXPECT_TRUE(has(text, "100.0 %")) << text;
  EXPECT_TRUE(has(text, "2  relu: unary")) << text;
}

}  // namespace
}  // namespace anemone::engine
