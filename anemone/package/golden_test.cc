// Packages that coremltools wrote, against what coremltools reads out of them.
// tests/oracle/package/make_goldens.py makes both.

#include <set>

#include "anemone/base/json.h"
#include "anemone/mil/op.h"
#include "anemone/mil/text.h"
#include "anemone/mil/verify.h"
#include "anemone/package/testing.h"

namespace anemone::package {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = ANEMONE_GOLDEN_PACKAGES;

Json elements_of(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) return tensor.strings();
  if (is_float(tensor.dtype())) return tensor.to_doubles();
  return tensor.to_ints();
}

void compare_constant(const mil::Type& type, const Tensor& tensor, const Json& wanted) {
  EXPECT_EQ(mil::to_string(type), wanted.at("type"));
  EXPECT_EQ(elements_of(tensor), wanted.at("elements"));
}

// Blocks side by side may use one name twice in a file. The reader tells such values apart by a
// suffix, so a name that the file lacks is compared without it.
std::set<std::string> file_names;

void collect_names(const Json& block) {
  for (const auto& [name, type] : block.at("inputs").items()) file_names.insert(name);
  for (const Json& op : block.at("ops")) {
    for (const auto& [name, type] : op.at("outputs").items()) file_names.insert(name);
    for (const Json& nested : op.at("blocks")) collect_names(nested);
  }
}

std::string file_name(const std::string& name) {
  return file_names.contains(name) ? name : name.substr(0, name.rfind('_'));
}

template <typename Values>
std::map<std::string, std::string> types_of(const Values& values) {
  std::map<std::string, std::string> types;
  for (const auto& value : values) types[file_name(value->name)] = mil::to_string(value->type);
  return types;
}

void compare_block(const mil::Block& block, const Json& wanted);

void compare_op(const mil::Op& op, const Json& wanted) {
  SCOPED_TRACE("op " + op.name);
  EXPECT_EQ(op.type(), wanted.at("type").get<std::string>());
  EXPECT_EQ(op.name, wanted.at("name"));
  EXPECT_EQ(Json(types_of(op.outputs)), wanted.at("outputs"));
  Json names = Json::object();
  std::set<std::string> literals;
  for (const mil::Input& input : op.inputs) {
    for (const mil::Value* value : input.values) {
      if (!value->name.empty()) {
        names[input.name].push_back(file_name(value->name));
        continue;
      }
      literals.insert(input.name);
      ASSERT_TRUE(wanted.at("values").contains(input.name)) << input.name;
      compare_constant(value->type, *value->constant, wanted.at("values").at(input.name));
    }
  }
  EXPECT_EQ(names, wanted.at("inputs"));
  if (op.type() == "const") {
    literals.insert("val");
    compare_constant(op.output()->type, *op.output()->constant, wanted.at("values").at("val"));
  }
  std::set<std::string> wanted_literals;
  for (const auto& [name, value] : wanted.at("values").items()) wanted_literals.insert(name);
  EXPECT_EQ(literals, wanted_literals);
  ASSERT_EQ(op.blocks.size(), wanted.at("blocks").size());
  for (std::size_t i = 0; i < op.blocks.size(); ++i) {
    EXPECT_EQ(Json(types_of(op.blocks[i]->inputs)), wanted.at("blocks")[i].at("inputs"));
    compare_block(*op.blocks[i], wanted.at("blocks")[i]);
  }
}

void compare_block(const mil::Block& block, const Json& wanted) {
  Json outputs = Json::array();
  for (const mil::Value* output : block.outputs) outputs.push_back(file_name(output->name));
  EXPECT_EQ(outputs, wanted.at("outputs"));
  ASSERT_EQ(block.ops.size(), wanted.at("ops").size());
  for (std::size_t i = 0; i < block.ops.size(); ++i) {
    compare_op(*block.ops[i], wanted.at("ops")[i]);
  }
}

std::vector<std::string> golden_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".mlpackage") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, HoldsWhatCoremltoolsReads) {
  const Model model = load(kFolder / (GetParam() + ".mlpackage"));
  const Json wanted = load_json(kFolder / (GetParam() + ".json"));
  EXPECT_EQ(model.specification_version, wanted.at("specification_version"));
  ASSERT_EQ(model.program.functions.size(), wanted.at("functions").size());
  for (const auto& function : model.program.functions) {
    SCOPED_TRACE("function " + function->name);
    const Json& entry = wanted.at("functions").at(function->name);
    file_names.clear();
    collect_names(entry);
    EXPECT_EQ(mil::info(function->opset).name, entry.at("opset").get<std::string>());
    EXPECT_EQ(Json(types_of(function->inputs)), entry.at("inputs"));
    compare_block(function->body, entry);
  }
}

TEST_P(Golden, IsSound) {
  mil::require_sound(load(kFolder / (GetParam() + ".mlpackage")).program, GetParam());
}

TEST_P(Golden, ComesBackTheSameWhenSavedAgain) {
  const TempFolder folder;
  const Model model = load(kFolder / (GetParam() + ".mlpackage"));
  save(model, folder.path() / "again");
  const Model again = load(folder.path() / "again");
  EXPECT_EQ(mil::print(again.program), mil::print(model.program));
  EXPECT_EQ(again.interfaces, model.interfaces);
  EXPECT_EQ(again.metadata, model.metadata);
  EXPECT_EQ(again.program.build_info, model.program.build_info);
  EXPECT_EQ(again.specification_version, model.specification_version);
  EXPECT_EQ(again.default_function, model.default_function);
  EXPECT_EQ(again.is_multifunction, model.is_multifunction);
}

INSTANTIATE_TEST_SUITE_P(Packages, Golden, testing::ValuesIn(golden_names()),
                         [](const auto& test) { return test.param; });

TEST(GoldenFeatures, AreReadAsTheyWereAskedFor) {
  const Model model = load(kFolder / "features_ios18.mlpackage");
  const Interface& main = model.interfaces.at("main");
  ASSERT_EQ(main.inputs.size(), 4u);
  const auto* ranged = std::get_if<ArrayFeature>(&main.inputs[0].type);
  ASSERT_NE(ranged, nullptr);
  EXPECT_EQ(*ranged, (ArrayFeature{.dtype = DType::kF32,
                                   .shape = {1, 2},
                                   .ranges = {SizeRange{1, 1}, SizeRange{1, 8}}}));
  const auto* listed = std::get_if<ArrayFeature>(&main.inputs[1].type);
  ASSERT_NE(listed, nullptr);
  EXPECT_EQ(listed->shape, (Shape{1, 4}));
  EXPECT_EQ(listed->dtype, DType::kF16);
  EXPECT_EQ(listed->enumerated_shapes, (std::vector<Shape>{{1, 4}, {1, 2}, {2, 2}}));
  const auto* spare = std::get_if<ArrayFeature>(&main.inputs[2].type);
  ASSERT_NE(spare, nullptr);
  EXPECT_TRUE(main.inputs[2].is_optional);
  EXPECT_EQ(std::get<float>(spare->default_value), 0.5f);
  const auto* photo = std::get_if<ImageFeature>(&main.inputs[3].type);
  ASSERT_NE(photo, nullptr);
  EXPECT_EQ(*photo, (ImageFeature{.width = 6, .height = 4, .color_space = ColorSpace::kBgr}));
  EXPECT_EQ(main.inputs[3].short_description, "what is seen");
  EXPECT_EQ(std::get<ArrayFeature>(main.outputs[0].type).shape, Shape());
  EXPECT_EQ(model.metadata.author, "somebody");
  EXPECT_EQ(model.metadata.license, "none");
  EXPECT_EQ(model.metadata.short_description, "features of many kinds");
  EXPECT_EQ(model.metadata.version, "7");
  EXPECT_EQ(model.metadata.user_defined.at("mood"), "blue");
  EXPECT_EQ(model.program.build_info.at("coremltools-version"), "9.0");
}

TEST(GoldenFeatures, FollowFromTheProgramWhereNothingElseIsSaid) {
  for (const char* name : {"functions_ios18", "strings_ios16", "numbers_ios16", "narrow_ios17"}) {
    const Model model = load(kFolder / (std::string(name) + ".mlpackage"));
    for (const auto& function : model.program.functions) {
      EXPECT_EQ(interface_of(*function), model.interfaces.at(function->name)) << name;
    }
    EXPECT_EQ(needed_specification(model), model.specification_version) << name;
  }
  const Model strings = load(kFolder / "strings_ios16.mlpackage");
  EXPECT_EQ(strings.interfaces.at("main").predicted_feature, "classLabel");
}

}  // namespace
}  // namespace anemone::package
