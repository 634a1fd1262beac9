#include <gtest/gtest.h>

#include "anemone/base/files.h"
#include "anemone/base/json.h"
#include "anemone/cli/testing.h"
#include "anemone/mil/builder.h"
#include "anemone/mil/text.h"
#include "anemone/package/package.h"
#include "anemone/predict/model.h"
#include "anemone/predict/npz.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::cli {
namespace {

using testing::TempDir;

// sum = x + total; total = sum; y = relu(sum).
std::string running_total(const TempDir& dir) {
  package::Model model;
  mil::Builder b(model.program.add_function("main", mil::Opset::kIos18));
  mil::Value* x = b.input("x", mil::Type::tensor(DType::kF16, {2}));
  mil::Value* total = b.input("total", mil::Type::state(DType::kF16, {2}));
  mil::Value* old = b.add("read_state", "old", {{"input", total}});
  mil::Value* sum = b.add("add", "sum", {{"x", x}, {"y", old}});
  b.add_op("write_state", "write", {{"input", total}, {"data", sum}}, {});
  b.set_outputs({b.add("relu", "y", {{"x", sum}})});
  const std::string path = (dir / "total.mlpackage").string();
  package::save(model, path);
  return path;
}

std::string write_inputs(const TempDir& dir, std::vector<double> values) {
  const Shape shape = {static_cast<std::int64_t>(values.size())};
  predict::save_npz(dir / "in.npz", {{"x", Tensor::from_doubles(DType::kF32, shape, values)}});
  return (dir / "in.npz").string();
}

std::vector<double> read_output(const TempDir& dir, const std::string& name) {
  return predict::load_npz(dir / "out.npz").at(name).to_doubles();
}

TEST(Predict, WritesTheOutputsAndSaysWhatTheyAre) {
  const TempDir dir;
  const auto outcome = run_command("predict", {running_total(dir), "-i", write_inputs(dir, {1, -2}),
                                               "-o", (dir / "out.npz").string()});
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, "y: fp16 [2]\n");
  EXPECT_EQ(read_output(dir, "y"), (std::vector<double>{1, 0}));
}

TEST(Predict, GoesOnFromAStateFile) {
  const TempDir dir;
  const std::string package = running_total(dir);
  const std::string state = (dir / "s.npz").string();
  for (const double total : {1, 2, 3}) {
    const auto outcome = run_command("predict", {package, "-i", write_inputs(dir, {1, -1}), "-o",
                                                 (dir / "out.npz").string(), "--state", state});
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(read_output(dir, "y"), (std::vector<double>{total, 0}));
    EXPECT_EQ(predict::load_npz(state).at("total").to_doubles(),
              (std::vector<double>{total, -total}));
  }
}

TEST(Predict, TracesEveryValueInOrder) {
  const TempDir dir;
  const std::vector<std::string> arguments = {running_total(dir), "-i", write_inputs(dir, {1, -2}),
                                              "--trace", (dir / "trace").string()};
  std::vector<std::string> more = arguments;
  more.push_back("--json");
  const auto outcome = run_command("predict", more);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(Json::parse(outcome.out).at("traced"), 3);
  const Json index = load_json(dir / "trace" / "index.json");
  std::vector<std::string> values;
  for (const Json& entry : index) values.push_back(entry.at("value"));
  EXPECT_EQ(values, (std::vector<std::string>{"old", "sum", "y"}));
  const std::string file = read_text(dir / "trace" / index[1].at("file").get<std::string>());
  EXPECT_EQ(predict::parse_npy(as_bytes(file), "sum").to_doubles(), (std::vector<double>{1, -2}));
  EXPECT_EQ(run_command("predict", arguments).err,
            "bad-input: " + (dir / "trace").string() + ": already exists; --force replaces it");
  more.push_back("--force");
  EXPECT_EQ(run_command("predict", more).err, "");
}

TEST(Predict, LooksAtItsOutputBeforeItComputes) {
  const TempDir dir;
  const std::string state = (dir / "s.npz").string();
  const auto outcome = run_command("predict", {running_total(dir), "-i", write_inputs(dir, {1, -2}),
                                               "-o", "/none/out.npz", "--state", state});
  EXPECT_EQ(outcome.err, "not-found: /none: is not a folder, so 'out.npz' cannot be made in it");
  EXPECT_FALSE(std::filesystem::exists(state));
}

TEST(Predict, StopsAtAnOp) {
  const TempDir dir;
  const std::string package = running_total(dir);
  const std::string inputs = write_inputs(dir, {1, -2});
  const std::string state = (dir / "s.npz").string();
  auto outcome = run_command("predict", {package, "-i", inputs, "-o", (dir / "out.npz").string(),
                                         "--until", "sum", "--state", state});
  EXPECT_EQ(outcome.out, "sum: fp16 [2]\n");
  EXPECT_EQ(read_output(dir, "sum"), (std::vector<double>{1, -2}));
  // The write comes after `sum`.
  EXPECT_EQ(predict::load_npz(state).at("total").to_doubles(), (std::vector<double>{0, 0}));
  outcome = run_command("predict", {package, "-i", inputs, "--until", "none"});
  EXPECT_EQ(outcome.err,
            "not-found: " + package + ": function 'main' has no op 'none' in its own block");
}

TEST(Predict, SaysWhatIsWrongWithAnInput) {
  const TempDir dir;
  const std::string package = running_total(dir);
  EXPECT_EQ(run_command("predict", {package}).err,
            "bad-input: " + package + ": input 'x' (fp16 [2]) is missing");
  EXPECT_EQ(run_command("predict", {package, "-i", write_inputs(dir, {1, 2, 3})}).err,
            "bad-input: " + package +
                ": input 'x' is given a MultiArray Shape (3), which does not match the shape (2) "
                "in the model's description");
  predict::save_npz(dir / "in.npz", {{"xx", Tensor::scalar(DType::kF32, 1)}});
  EXPECT_EQ(run_command("predict", {package, "-i", (dir / "in.npz").string()}).err,
            "bad-input: " + (dir / "in.npz").string() + ": 'xx' is no input of " + package +
                "; did you mean 'x'?; allowed: x");
  EXPECT_EQ(run_command("predict", {package, "--function", "decode"}).err,
            "not-found: " + package + ": there is no function 'decode'; allowed: main");
}

TEST(Predict, PrintsThePlan) {
  const TempDir dir;
  const std::string package = running_total(dir);
  const std::string inputs = write_inputs(dir, {1, -2});
  const auto outcome = run_command("predict", {package, "-i", inputs, "--plan"});
  EXPECT_NE(outcome.out.find("y relu: unary"), std::string::npos) << outcome.out;
  const auto json =
      run_command("predict", {package, "-i", inputs, "--plan", "--json", "--fusion", "off"});
  const Json plan = parse_json(json.out, "plan");
  EXPECT_EQ(plan.at("function"), "main");
  EXPECT_GT(plan.at("state_bytes"), 0) << json.out;
  EXPECT_GE(plan.at("arena_bytes"), plan.at("live_bytes"));
  const auto& last = plan.at("plan").back();
  EXPECT_EQ(last.at("op"), "relu") << json.out;
  EXPECT_EQ(last.at("how"), "unary");
  EXPECT_EQ(last.at("bytes"), 8);
  EXPECT_TRUE(last.contains("offset"));
  // What is not given has its default shape.
  EXPECT_EQ(run_command("predict", {package, "--plan"}).out, outcome.out);
}

TEST(Predict, PlansForImagesThatAreNotGiven) {
  const TempDir dir;
  for (const auto color : {package::ColorSpace::kRgb, package::ColorSpace::kGrayscaleF16}) {
    const bool is_gray = color == package::ColorSpace::kGrayscaleF16;
    package::Model model;
    mil::Builder b(model.program.add_function("main", mil::Opset::kIos16));
    mil::Value* x = b.input(
        "x", mil::Type::tensor(is_gray ? DType::kF16 : DType::kF32, {1, is_gray ? 1 : 3, 4, 5}));
    b.set_outputs({b.add("relu", "y", {{"x", x}})});
    package::Interface interface = package::interface_of(*model.program.functions.front());
    interface.inputs.front().type =
        package::ImageFeature{.width = 5, .height = 4, .color_space = color};
    model.interfaces["main"] = interface;
    const std::string path = (dir / (is_gray ? "gray.mlpackage" : "rgb.mlpackage")).string();
    package::save(model, path);
    const auto outcome = run_command("predict", {path, "--plan"});
    EXPECT_NE(outcome.out.find("y relu: unary"), std::string::npos) << outcome.out << outcome.err;
  }
}

TEST(Predict, RunsAPipeline) {
  const TempDir dir;
  const std::string package = ANEMONE_PIPELINES "/nested.mlpackage";
  predict::save_npz(dir / "in.npz",
                    {{"x", Tensor::from_doubles(DType::kF32, {1, 2}, std::vector<double>{3, -4})}});
  const std::string inputs = (dir / "in.npz").string();
  auto outcome = run_command("predict", {package, "-i", inputs, "-o", (dir / "out.npz").string(),
                                         "--trace", (dir / "trace").string(), "--json"});
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("type"), "pipeline");
  EXPECT_FALSE(json.contains("function"));
  EXPECT_EQ(read_output(dir, "out"), (std::vector<double>{-10, 16.25}));
  std::vector<std::string> models;
  for (const Json& entry : load_json(dir / "trace" / "index.json")) {
    models.push_back(entry.at("model"));
  }
  EXPECT_EQ(models, (std::vector<std::string>{"0/0", "0/1", "1"}));
  outcome = run_command("predict", {package, "-i", inputs, "--until", "0/1/z"});
  EXPECT_EQ(outcome.out, "z: fp32 [1, 2]\n");
  EXPECT_EQ(run_command("predict", {package, "-i", inputs, "--function", "main"}).err,
            "not-found: " + package + ": there is no function 'main'; a pipeline has none");
}

// n counts from 0 to x.
std::string counting(const TempDir& dir) {
  const mil::Program program = mil::parse(R"(program(1.0) { func main<ios18>(int32 x) {
      int32 n = while_loop(loop_vars = int32(0))[name = string("n")]
        (int32 i) { bool go = less(x = i, y = x)[name = string("go")]; } -> (go),
        (int32 j) { int32 k = add(x = j, y = int32(1))[name = string("k")]; } -> (k);
      int32 thousands = mul(x = n, y = int32(1000))[name = string("thousands")];
      tensor<int32, [1]> shape = expand_dims(x = thousands, axes = tensor<int32, [1]>([0]))[name = string("shape")];
      tensor<fp32, [?]> y = fill(shape = shape, value = fp32(1))[name = string("y")];
    } -> (n, y); })",
                                          "test");
  package::Model model;
  model.program.functions.push_back(mil::clone(*program.functions.front()));
  const std::string path = (dir / "counting.mlpackage").string();
  package::save(model, path);
  return path;
}

TEST(Predict, NamesWhatPassesALimit) {
  const TempDir dir;
  const std::string package = counting(dir);
  const std::int64_t many[] = {200};
  predict::save_npz(dir / "in.npz", {{"x", Tensor::from_ints(DType::kI32, {}, many)}});
  const std::string in = (dir / "in.npz").string();
  auto outcome = run_command("predict", {package, "-i", in, "--max-loop-iterations", "100"});
  EXPECT_EQ(outcome.err,
            "limit: " + package +
                ": function 'main': op 'n' (while_loop) wants to go on after 100 iterations, "
                "which is what all loops of a call together are allowed");
  outcome = run_command("predict", {package, "-i", in, "--max-memory", "1"});
  EXPECT_NE(outcome.err.find("op 'y' (fill) asks for 2400008 bytes to compute tensor<fp32, "
                             "[200000]>"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(run_command("predict", {package, "-i", in}).err, "");
}

// The arena against what must exist of it, for both functions of both packages of the shipped
// model.
TEST(Predict, PlansTheShippedModelWithinThreeTenthsOfWhatMustExist) {
  const TempDir dir;
  const std::string bundle = (dir / "bundle").string();
  EXPECT_EQ(run_command("convert", {tiny_checkpoint(), "-o", bundle, "--json"}).status, 0);
  int plans = 0;
  for (const char* name : {"layers_00.mlpackage", "head.mlpackage"}) {
    const auto path = std::filesystem::path(bundle) / name;
    const auto functions = predict::Model::load(path)->functions();
    for (const std::string& function : functions) {
      for (const bool fuse : {true, false}) {
        const auto model = predict::Model::load(path, {.function = function, .fuse = fuse});
        predict::Values zeros;
        for (const package::Feature& input : model->interface().inputs) {
          const auto& array = std::get<package::ArrayFeature>(input.type);
          const std::vector<double> values(static_cast<std::size_t>(element_count(array.shape)), 0);
          zeros[input.name] = Tensor::from_doubles(array.dtype, array.shape, values);
        }
        const auto plan = model->plan(zeros).at(0).report;
        EXPECT_EQ(plan.why_interpreted, "");
        EXPECT_GT(plan.live_bytes, 0u);
        EXPECT_LE(plan.arena_ratio(), 1.3) << name << ", " << function << "\n" << plan.text();
        EXPECT_GT(plan.in_place, 0u) << plan.text();
        ++plans;
      }
    }
  }
  EXPECT_EQ(plans, 8);
}

}  // namespace
}  // namespace anemone::cli
