#include "anemone/ladder/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "anemone/evidence/placement.h"
#include "anemone/mil/builder.h"
#include "anemone/package/package.h"
#include "anemone/testing/message_of.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::ladder {
namespace {

namespace fs = std::filesystem;
using evidence::Outcome;

// Two functions: y = relu(x), and y = position + x.
void save_model(const fs::path& path) {
  package::Model model;
  const auto add = [&](const std::string& name, bool has_position) {
    mil::Builder builder(model.program.add_function(name, mil::Opset::kIos18));
    mil::Value* x = builder.input("x", mil::Type::tensor(DType::kF16, {1, 8}));
    if (has_position) {
      mil::Value* position = builder.input("position", mil::Type::tensor(DType::kI32, {1}));
      mil::Value* moved = builder.add("cast", "moved", {{"x", position}, {"dtype", "fp16"}});
      builder.set_outputs({builder.add("add", "y", {{"x", x}, {"y", moved}})});
    } else {
      builder.set_outputs({builder.add("relu", "y", {{"x", x}})});
    }
    package::Interface& interface = model.interfaces[name];
    interface.inputs = {
        {.name = "x", .type = package::ArrayFeature{.dtype = DType::kF16, .shape = {1, 8}}}};
    if (has_position) {
      interface.inputs.push_back(
          {.name = "position", .type = package::ArrayFeature{.dtype = DType::kI32, .shape = {1}}});
    }
    interface.outputs = {
        {.name = "y", .type = package::ArrayFeature{.dtype = DType::kF16, .shape = {1, 8}}}};
  };
  add("main", false);
  add("step", true);
  package::save(model, path);
}

RecordOptions options_for(const fs::path& package, const std::string& script) {
  // The child's arguments follow: $0 is the package, $2 the folder of figures.
  return {.package = package, .runner = {.name = "cpu"}, .command = {"/bin/sh", "-c", script}};
}

TEST(Record, MeasuresEachFunctionInAProcess) {
  const anemone::testing::TempDir folder;
  const fs::path package = folder / "a.mlpackage";
  save_model(package);
  const auto records = record_package(options_for(package, "echo dying >&2; kill -9 $$"));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].function, "main");
  EXPECT_EQ(records[1].function, "step");
  for (const evidence::Record& record : records) {
    EXPECT_EQ(record.outcome, Outcome::kKilled);
    EXPECT_EQ(record.log, std::vector<std::string>{"dying"});
    EXPECT_EQ(record.experiment, "a.mlpackage");
    EXPECT_EQ(record.package.hash, evidence::describe_package(package).hash);
    EXPECT_EQ(evidence::inconsistencies(record), std::vector<std::string>{});
  }
  // A child that ends well and wrote nothing.
  EXPECT_EQ(record_package(options_for(package, "exit 0")).at(0).outcome, Outcome::kGarbage);
}

TEST(Record, HoldsTheChildsNumbersAgainstTheEngine) {
  const anemone::testing::TempDir folder;
  const fs::path package = folder / "a.mlpackage";
  save_model(package);
  RecordOptions options = options_for(package, "cp -r \"$2\" \"$2.kept\"; exit 1");
  options.function = "step";
  options.inputs["position"] = Tensor::from_ints(DType::kI32, {1}, std::vector<std::int64_t>{3});
  EXPECT_EQ(record_package(options).size(), 1u);
  // The same figures as a child finds them: kept by a first one, measured by a second.
  fs::path kept;
  for (const auto& entry : fs::directory_iterator(fs::temp_directory_path())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("anemone-evidence-") && name.ends_with(".kept")) kept = entry.path();
  }
  ASSERT_FALSE(kept.empty());
  const fs::path output = folder / "record.json";
  EXPECT_EQ(run_child(PackageJob{.package = package,
                                 .function = "step",
                                 .figures = kept,
                                 .runner = {.name = "cpu"},
                                 .output = output,
                                 .steps = 2}),
            0);
  fs::remove_all(kept);
  const evidence::Record record = evidence::load_document(output).records.at(0);
  EXPECT_EQ(record.function, "step");
  EXPECT_EQ(record.units.at("cpu").steps_done, 2);
  EXPECT_TRUE(record.units.at("cpu").numerics->passed());
}

TEST(Record, RefusesWhatIsNotThere) {
  const anemone::testing::TempDir folder;
  const fs::path package = folder / "a.mlpackage";
  save_model(package);
  RecordOptions options = options_for(package, "exit 0");
  options.function = "decode";
  EXPECT_THAT(anemone::testing::message_of([&] { record_package(options); }),
              ::testing::HasSubstr("there is no function 'decode'; allowed: main, step"));
  options.function = "main";
  options.inputs["z"] = Tensor::from_ints(DType::kI32, {1}, std::vector<std::int64_t>{3});
  EXPECT_THAT(anemone::testing::message_of([&] { record_package(options); }),
              ::testing::HasSubstr("a.mlpackage: function 'main' has no input 'z'"));
  EXPECT_EQ(anemone::testing::message_of([] { parse_package_arguments({"a"}); }),
            "usage: a child takes 6 arguments; it got 1");
  EXPECT_EQ(anemone::testing::message_of([] {
              parse_package_arguments({"a", "f", "g", "cpu", "o", "0"});
            }),
            "usage: a child's steps are '0'; allowed: 1 and more");
}

}  // namespace
}  // namespace anemone::ladder
