#include "anemone/lint/lint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>

#include "anemone/base/files.h"
#include "anemone/base/json.h"
#include "anemone/cli/testing.h"
#include "anemone/cli/tiny_bundle.h"
#include "anemone/convert/convert.h"
#include "anemone/mil/text.h"
#include "anemone/package/package.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::cli {
namespace {
namespace fs = std::filesystem;

std::vector<Json> lines_of(const Outcome& outcome) {
  std::vector<Json> lines;
  std::istringstream in(outcome.out);
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}

std::string saved(const fs::path& path, std::string_view functions) {
  package::Model model;
  model.program = mil::parse("program(1.0)\n{\n" + std::string(functions) + "\n}\n", "t.mil");
  package::save(model, path);
  return path.string();
}

TEST(LintCommand, PrintsAFindingALineWithEverythingThatAProgramNeeds) {
  const testing::TempDir temp;
  const std::string path = saved(temp / "m.mlpackage", R"(
    func main<ios18>(tensor<fp16, [4, 8]> x, tensor<int32, [1]> at) {
      tensor<fp16, [1, 8]> y = gather(x = x, indices = at, axis = int32(0))[name = string("y")];
    } -> (y);)");
  const Outcome outcome = run_command("lint", {path, "--json"});
  EXPECT_EQ(outcome.status, 1);
  bool is_there = false;
  for (const Json& line : lines_of(outcome)) {
    for (const char* key : {"rule", "facts", "severity", "confidence", "function", "op", "output",
                            "message", "rewrite", "share_bytes", "share_flops"}) {
      EXPECT_TRUE(line.contains(key)) << key;
    }
    if (line["rule"] != "gather") continue;
    is_there = true;
    EXPECT_EQ(line["facts"], Json({"O01"}));
    EXPECT_EQ(line["severity"], "leaves-ane");
    EXPECT_EQ(line["function"], "main");
    EXPECT_EQ(line["op"], "gather");
    EXPECT_EQ(line["output"], "y");
    EXPECT_EQ(line["shape"], "[1, 8]");
    EXPECT_EQ(line["basis"], "predicted");
  }
  EXPECT_TRUE(is_there);
}

TEST(LintCommand, FailsOnTheSeverityThatIsAskedFor) {
  const testing::TempDir temp;
  const std::string path = saved(temp / "m.mlpackage", R"(
    func main<ios18>(tensor<fp16, [4, 8]> x, tensor<int32, [1]> at) {
      tensor<fp16, [1, 8]> y = gather(x = x, indices = at, axis = int32(0))[name = string("y")];
    } -> (y);)");
  EXPECT_EQ(run_command("lint", {path, "--fail-on", "barred"}).status, 0);
  EXPECT_EQ(run_command("lint", {path, "--fail-on", "note"}).status, 1);
  EXPECT_EQ(run_command("lint", {path, "--fail-on", "leavesane"}).err,
            "usage: --fail-on is 'leavesane'; allowed: barred, rejected, silent, numeric, "
            "leaves-ane, build, slow, note; did you mean 'leaves-ane'?");
}

TEST(LintCommand, RefusesACompiledModelByName) {
  const testing::TempDir temp;
  const fs::path compiled = temp / "m.mlmodelc";
  fs::create_directory(compiled);
  EXPECT_EQ(run_command("lint", {compiled.string()}).err,
            "unsupported: " + compiled.string() +
                ": is a compiled model (.mlmodelc); the package (.mlpackage) that it was compiled "
                "from is wanted");
}

TEST(LintCommand, ListsAndExplainsRulesWithoutAPath) {
  const auto rules = lines_of(run_command("lint", {"--rules", "--json"}));
  EXPECT_EQ(rules.size(), lint::rules().size());
  for (const Json& rule : rules) {
    for (const char* key :
         {"rule", "facts", "severity", "confidence", "scope", "sources", "says", "rewrite"}) {
      EXPECT_TRUE(rule.contains(key)) << key;
    }
    EXPECT_FALSE(rule["sources"].empty()) << rule["rule"];
  }
  const Outcome one = run_command("lint", {"--explain", "gather"});
  EXPECT_EQ(one.status, 0);
  EXPECT_NE(one.out.find("leaves-ane"), std::string::npos);
  // A fact stands for its rules, or says why it has none.
  EXPECT_EQ(run_command("lint", {"--explain", "O01"}).out,
            run_command("lint", {"--explain", "gather"}).out);
  EXPECT_EQ(run_command("lint", {"--explain", "O22"}).out,
            "O22: concat\n  no rule: the refusal is of one private route alone; concat runs under "
            "Core ML\n");
  EXPECT_EQ(Json::parse(run_command("lint", {"--explain", "O22", "--json"}).out).at("fact"), "O22");
  EXPECT_EQ(run_command("lint", {"--explain", "gathr"}).err,
            "usage: there is no rule 'gathr'; did you mean 'gather'?; --rules lists them");
  EXPECT_EQ(run_command("lint", {}).err, "usage: lint: missing: PATH");
}

TEST(LintCommand, LooksAtEveryPackageOfABundle) {
  const Outcome outcome = run_command("lint", {tiny_bundle(), "--json"});
  std::vector<std::string> packages;
  for (const Json& line : lines_of(outcome)) {
    const std::string package = line["package"];
    if (packages.empty() || packages.back() != package) packages.push_back(package);
  }
  EXPECT_EQ(packages, (std::vector<std::string>{"layers_00.mlpackage", "layers_01.mlpackage",
                                                "head.mlpackage"}));
  const auto cuts = lines_of(run_command("lint", {tiny_bundle(), "--json", "--islands"}));
  EXPECT_EQ(cuts.size(), 6u);  // two functions a package
  for (const Json& cut : cuts) {
    EXPECT_EQ(cut["basis"], "predicted");
    EXPECT_EQ(cut["crossings"].size() + 1, cut["islands"].size());
  }
}

// The same program with an input x of fixed, ranged or enumerated shape, with or without a state.
std::set<std::string> rules_on_shapes(const std::function<void(package::ArrayFeature&)>& vary,
                                      bool has_state) {
  const testing::TempDir temp;
  package::Model model;
  const std::string state = has_state ? ", state<tensor<fp16, [8, 32]>> kv" : "";
  const std::string write = has_state ? R"(
      tensor<fp16, [8, 32]> old = read_state(input = kv)[name = string("old")];
      write_state(input = kv, data = old)[name = string("store")];)"
                                      : "";
  const std::string extent = vary ? "?" : "4";
  model.program = mil::parse("program(1.0)\n{ func main<ios18>(tensor<fp16, [" + extent +
                                 ", 32]> x" + state + ") {" + write + "tensor<fp16, [" + extent +
                                 ", 32]> y = relu(x = x)[name = string(\"y\")]; } -> (y); }",
                             "t.mil");
  package::Interface interface = package::interface_of(*model.program.functions.front());
  if (vary) vary(std::get<package::ArrayFeature>(interface.inputs.front().type));
  model.interfaces["main"] = interface;
  package::save(model, temp / "m.mlpackage");
  std::set<std::string> ids;
  for (const Json& line :
       lines_of(run_command("lint", {(temp / "m.mlpackage").string(), "--json"}))) {
    ids.insert(line["rule"]);
  }
  return ids;
}

TEST(LintCommand, TellsFixedRangedAndEnumeratedShapesApartAndThoseWithStates) {
  const auto ranged = [](package::ArrayFeature& x) {
    x.shape = {1, 32};
    x.ranges = {{1, 64}, {32, 32}};
  };
  const auto unbounded = [](package::ArrayFeature& x) {
    x.shape = {1, 32};
    x.ranges = {{1, -1}, {32, 32}};
  };
  const auto enumerated = [](package::ArrayFeature& x) {
    x.shape = {1, 32};
    x.ranges = {};
    x.enumerated_shapes = {{1, 32}, {64, 32}};
  };
  const auto only = [](std::set<std::string> ids) {
    std::set<std::string> kept;
    for (const char* id :
         {"range-input", "unbounded-range", "enumerated-input", "flexible-state"}) {
      if (ids.count(id) != 0) kept.insert(id);
    }
    return kept;
  };
  using Ids = std::set<std::string>;
  EXPECT_EQ(only(rules_on_shapes(nullptr, false)), Ids());
  EXPECT_EQ(only(rules_on_shapes(nullptr, true)), Ids());
  EXPECT_EQ(only(rules_on_shapes(ranged, false)), Ids{"range-input"});
  EXPECT_EQ(only(rules_on_shapes(ranged, true)), (Ids{"range-input", "flexible-state"}));
  EXPECT_EQ(only(rules_on_shapes(unbounded, false)), (Ids{"range-input", "unbounded-range"}));
  EXPECT_EQ(only(rules_on_shapes(enumerated, false)), Ids{"enumerated-input"});
  EXPECT_EQ(only(rules_on_shapes(enumerated, true)), Ids{"enumerated-input"});
}

// The ids of the rules that fire on the first layer of the shipped checkpoint in this form.
std::set<std::string> rules_on(const models::Form& form) {
  const testing::TempDir temp;
  converter::Options options;
  options.checkpoint = tiny_checkpoint();
  options.output = temp / "bundle";
  options.form = form;
  options.form.context = 64;
  options.layers = 1;
  converter::convert(options);
  std::set<std::string> ids;
  for (const Json& line : lines_of(run_command("lint", {options.output.string(), "--json"}))) {
    ids.insert(line["rule"]);
  }
  return ids;
}

TEST(LintCommand, FindsTheKnownBadFormOfEachHypothesisAndNotTheDefault) {
  struct Case {
    const char* rule;
    models::Form form;
  };
  const Case cases[] = {
      {"rank-5", {.gqa = models::Gqa::kExpand}},
      {"repeated-heads", {.gqa = models::Gqa::kExpand}},
      {"repeated-heads", {.gqa = models::Gqa::kRepeat}},
      {"rotary-gather", {.rotary = models::Rotary::kTables}},
      {"int32-compute", {.mask = models::Mask::kPosition}},
      {"plain-square", {.norm = models::Norm::kPlain}},
      {"decomposed-norm", {.norm = models::Norm::kPlain}},
      {"two-states", {.states = models::States::kTwo}},
      {"linear-layout", {.layout = models::Layout::kBsc}},
      {"fused-silu", {.silu = models::Silu::kNative}},
      {"matmul-scatter", {.kv = models::KvWrite::kBlend}},
  };
  const std::set<std::string> by_default = rules_on({});
  for (const Case& one : cases) {
    EXPECT_EQ(by_default.count(one.rule), 0u) << one.rule;
    EXPECT_EQ(rules_on(one.form).count(one.rule), 1u) << one.rule;
  }
}

TEST(LintCommand, FindsAStateForEachLayersKeysAndValues) {
  const testing::TempDir temp;
  converter::Options options;
  options.checkpoint = tiny_checkpoint();
  options.output = temp / "bundle";
  options.form.context = 64;
  options.form.states = models::States::kPerLayer;
  options.layers = 2;
  converter::convert(options);
  const Outcome outcome = run_command("lint", {options.output.string()});
  EXPECT_NE(outcome.out.find("many-states"), std::string::npos);
  EXPECT_NE(outcome.out.find("4 states"), std::string::npos);
}

TEST(LintCommand, HasNothingAboveSlowToSayOfTheDefaultsButWhatTheDesignExplains) {
  const std::string design = read_text(ANEMONE_MODELS_DIR "/../docs/design.md");
  const auto lines = lines_of(run_command("lint", {tiny_bundle(), "--json"}));
  EXPECT_FALSE(lines.empty());
  for (const Json& line : lines) {
    if (*lint::find_severity(line["severity"].get<std::string>()) >= lint::Severity::kSlow)
      continue;
    const std::string rule = line["rule"];
    EXPECT_NE(design.find("`" + rule + "`"), std::string::npos) << rule;
  }
}

TEST(LintCommand, FindsFourHabitsOfPyTorchInABlockThatCoremltoolsMade) {
  const std::string block = ANEMONE_MODELS_DIR "/../tests/oracle/lint/qwen3_block.mlpackage";
  std::set<std::string> ids;
  for (const Json& line : lines_of(run_command("lint", {block, "--json"})))
    ids.insert(line["rule"]);
  for (const char* rule : {"range-input", "dynamic-slice", "rank-5", "fp32-island"}) {
    EXPECT_EQ(ids.count(rule), 1u) << rule;
  }
}

TEST(LintCommand, LooksAtEachModelOfAPipeline) {
  const std::string path = ANEMONE_PIPELINES "/nested.mlpackage";
  const auto outcome = run_command("lint", {path, "--fail-on", "note"});
  EXPECT_EQ(outcome.err, "");
  for (const char* model : {":0:0: predicted", ":0:1: predicted", ":1: predicted"}) {
    EXPECT_NE(outcome.out.find(path + model), std::string::npos) << outcome.out;
  }
  // What is found in one model fails the whole.
  EXPECT_EQ(outcome.status, 1) << outcome.out;
}

}  // namespace
}  // namespace anemone::cli
