#include <gtest/gtest.h>

#include "anemone/base/json.h"
#include "anemone/cli/testing.h"
#include "anemone/cli/tiny_bundle.h"
#include "anemone/mil/builder.h"
#include "anemone/mil/text.h"
#include "anemone/package/package.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::cli {
namespace {

using testing::TempDir;

TEST(Inspect, SumsACheckpointUp) {
  const auto outcome = run_command("inspect", {tiny_checkpoint()});
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(
      outcome.out.substr(0, outcome.out.find('\n')),
      tiny_checkpoint() + ": checkpoint (safetensors), 5.77 M parameters, 11.5 MB in 68 tensors");
  EXPECT_NE(outcome.out.find("  num_key_value_heads      4\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("  model.layers.*.mlp.down_proj.weight"), std::string::npos);
  EXPECT_NE(outcome.out.find("BF16  [256, 768]   x 6\n"), std::string::npos);
}

TEST(Inspect, GivesTheSameAsJson) {
  const auto outcome = run_command("inspect", {tiny_checkpoint(), "--json"});
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("kind"), "checkpoint");
  EXPECT_EQ(json.at("parameters"), 5770880);
  EXPECT_EQ(json.at("config").at("rope_parameters").at("rope_theta"), 10000.0);
  EXPECT_EQ(json.at("tensors").size(), 68u);
  EXPECT_EQ(json.at("tensors")[0].at("name"), "model.embed_tokens.weight");
}

TEST(Inspect, ShowsABundleAndItsPackages) {
  const std::string& bundle = tiny_bundle();
  const auto outcome = run_command("inspect", {bundle});
  EXPECT_EQ(outcome.err, "");
  for (const char* line : {
           ": bundle (parts) by anemone ",
           "  context              64\n",
           "  layers 0 to 2        layers_00.mlpackage\n",
           "\nlayers_01.mlpackage: package, specification 9\n",
           "  function decode, CoreML8, default\n",
           "    input   hidden      fp16   [1, 1, 256]\n",
           "    state   kv          fp16   [6, 4, 64, 32]\n",
           "    output  hidden_out  fp16   [1, 1, 256]\n",
           "  function prefill, CoreML8\n",
           "  function score, CoreML8\n",
       }) {
    EXPECT_NE(outcome.out.find(line), std::string::npos) << line << "\n" << outcome.out;
  }
}

TEST(Inspect, ShowsOnePackage) {
  const auto outcome = run_command("inspect", {tiny_bundle() + "/layers_00.mlpackage", "--json"});
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("kind"), "package");
  EXPECT_EQ(json.at("specification_version"), 9);
  ASSERT_EQ(json.at("functions").size(), 2u);
  const Json& decode = json.at("functions")[0];
  EXPECT_EQ(decode.at("name"), "decode");
  EXPECT_EQ(decode.at("ops").at("write_state"), 6);
  EXPECT_EQ(decode.at("states")[0],
            (Json{{"name", "kv"}, {"dtype", "fp16"}, {"shape", {6, 4, 64, 32}}}));
  // Half of the layers: shared by both functions, counted once. (256*256 + 2*256*128 + 256*256 +
  // 3*256*768 + 2*256 + 2*32) * 3 numbers of two bytes, and a little for what the form adds.
  std::uint64_t bytes = 0;
  for (const Json& weight : json.at("weights")) bytes += weight.at("bytes").get<std::uint64_t>();
  EXPECT_GT(bytes, 4721000u);
  EXPECT_LT(bytes, 4800000u);
}

TEST(Inspect, PrintsPrograms) {
  const auto package = run_command("inspect", {tiny_bundle() + "/head.mlpackage/", "--mil"});
  EXPECT_NE(package.out.find("logits_0"), std::string::npos);
  EXPECT_LT(package.out.size(), 20000u);
  EXPECT_TRUE(package.out.starts_with("// Large constants are left out; --full prints them"))
      << package.out;
  const auto bundle = run_command("inspect", {tiny_bundle(), "--mil"});
  EXPECT_NE(bundle.out.find("// layers_01.mlpackage\n"), std::string::npos);
  EXPECT_NE(bundle.out.find("slice_update"), std::string::npos);
  EXPECT_EQ(run_command("inspect", {tiny_checkpoint(), "--mil"}).status, 2);
  EXPECT_EQ(run_command("inspect", {tiny_bundle(), "--mil", "--json"}).err,
            "usage: inspect takes one of --mil and --json");
}

TEST(Inspect, PrintsInFullWhatParsesBack) {
  const TempDir dir;
  package::Model model;
  mil::Builder b(model.program.add_function("main", mil::Opset::kIos18));
  mil::Value* x = b.input("x", mil::Type::tensor(DType::kF32, {40}));
  mil::Value* w =
      b.constant("w", Tensor::from_doubles(DType::kF32, {40}, std::vector<double>(40, 0.1)));
  b.set_outputs({b.add("add", "y", {{"x", x}, {"y", w}})});
  const std::string path = (dir / "m.mlpackage").string();
  package::save(model, path);
  const auto outcome = run_command("inspect", {path, "--mil"});
  EXPECT_EQ(mil::print(mil::parse(outcome.out, "m")), outcome.out);
  EXPECT_EQ(run_command("inspect", {path, "--mil", "--full"}).out, outcome.out);
  const auto brief = run_command("inspect", {path, "--mil", "--brief"});
  EXPECT_LT(brief.out.size(), outcome.out.size());
  EXPECT_EQ(brief.out.find("0.1"), std::string::npos);
  EXPECT_EQ(run_command("inspect", {path, "--brief"}).err, "usage: --brief goes with --mil");
  EXPECT_EQ(run_command("inspect", {path, "--mil", "--brief", "--full"}).err,
            "usage: inspect takes one of --full and --brief");
  EXPECT_EQ(run_command("inspect", {path, "--full"}).err, "usage: --full goes with --mil");
}

TEST(Inspect, ShowsEachModelOfAPipeline) {
  const std::string path = ANEMONE_PIPELINES "/nested.mlpackage";
  const auto lines = run_command("inspect", {path});
  EXPECT_EQ(lines.err, "");
  EXPECT_TRUE(lines.out.starts_with(path + ": pipeline, specification 7\n")) << lines.out;
  EXPECT_NE(lines.out.find("\n  input   x    fp32 [1, 2]\n"), std::string::npos) << lines.out;
  EXPECT_NE(lines.out.find("\n  model 0: pipeline, "), std::string::npos) << lines.out;
  EXPECT_NE(lines.out.find("\n    model 1: package, "), std::string::npos) << lines.out;
  const Json json = Json::parse(run_command("inspect", {path, "--json"}).out);
  EXPECT_EQ(json.at("type"), "pipeline");
  EXPECT_EQ(json.at("outputs")[0].at("shape"), Json({1, 2}));
  EXPECT_EQ(json.at("models")[0].at("models")[1].at("functions")[0].at("ops").at("linear"), 1);
  const auto mil = run_command("inspect", {path, "--mil", "--full"});
  EXPECT_EQ(mil.err, "");
  for (const char* model : {"// \"0/0\"\n", "// \"0/1\"\n", "// \"1\"\n"}) {
    EXPECT_NE(mil.out.find(model), std::string::npos) << mil.out;
  }
}

TEST(Inspect, NamesWhatIsNotThere) {
  EXPECT_EQ(run_command("inspect", {"/none"}).err,
            "not-found: /none: there is no such file or folder");
  EXPECT_EQ(run_command("inspect", {"/none"}).status, 4);
}

}  // namespace
}  // namespace anemone::cli
