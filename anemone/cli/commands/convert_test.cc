#include <gtest/gtest.h>
#include <sys/stat.h>

#include "anemone/base/files.h"
#include "anemone/base/json.h"
#include "anemone/cli/testing.h"
#include "anemone/cli/tiny_bundle.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::cli {
namespace {

namespace fs = std::filesystem;
using testing::TempDir;

// Everything in a folder, hidden things too.
std::vector<std::string> entries(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Convert, SumsUpWhatItWrote) {
  const TempDir dir;
  const std::string output = (dir / "out").string();
  const auto outcome = run_command(
      "convert", {tiny_checkpoint(), "-o", output, "--layers", "2", "--context=64", "--json"});
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("output"), output);
  EXPECT_EQ(json.at("packages"), (Json{"layers_00.mlpackage", "head.mlpackage"}));
  EXPECT_EQ(json.at("flushed_to_zero"), 3);
  EXPECT_EQ(json.at("warnings"), Json{"3 weights are too small for fp16 and became zero"});
  EXPECT_EQ(json.at("fp16_safe").at("residual_shift"), 0);
  EXPECT_EQ(json.at("fp16_safe").at("done"),
            "nothing: with a factor of 4 to spare, no value passes 65504");
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(output)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  EXPECT_EQ(json.at("written_bytes"), bytes);
  EXPECT_EQ(entries(dir.path()), std::vector<std::string>{"out"});
}

TEST(Convert, SaysTheSameInWords) {
  const TempDir dir;
  const std::string output = (dir / "out").string();
  const auto outcome =
      run_command("convert", {tiny_checkpoint(), "-o", output, "--layers=1", "--single"});
  EXPECT_EQ(outcome.err, "anemone: warning: 2 weights are too small for fp16 and became zero\n");
  EXPECT_EQ(outcome.out.substr(0, output.size() + 12), output + ": 1 package,");
  EXPECT_NE(outcome.out.find("\n  model.mlpackage\n"), std::string::npos);
}

TEST(Convert, RefusesToReplaceUnlessForced) {
  const TempDir dir;
  const std::string output = (dir / "out").string();
  write_file(output, std::string_view("precious"));
  const auto refused = run_command("convert", {tiny_checkpoint(), "-o", output, "--layers=1"});
  EXPECT_EQ(refused.err, "bad-input: " + output + ": already exists; --force replaces it");
  EXPECT_EQ(refused.status, 3);
  EXPECT_EQ(read_text(output), "precious");
  EXPECT_EQ(
      run_command("convert", {tiny_checkpoint(), "-o", output, "--layers=1", "--force"}).status, 0);
  EXPECT_TRUE(fs::is_directory(output));
  EXPECT_EQ(entries(dir.path()), std::vector<std::string>{"out"});
}

TEST(Convert, WhenStoppedLeavesNothing) {
  const TempDir dir;
  StopFlag stop;
  stop.set();
  const auto outcome =
      run_command("convert", {tiny_checkpoint(), "-o", (dir / "out").string()}, "", &stop);
  EXPECT_EQ(outcome.status, 130);
  EXPECT_EQ(outcome.err, "interrupted: interrupted");
  EXPECT_EQ(entries(dir.path()), std::vector<std::string>{});
}

TEST(Convert, SaysAtOnceThatItCannotWriteThere) {
  const TempDir dir;
  const auto missing =
      run_command("convert", {tiny_checkpoint(), "-o", (dir / "none/out").string()});
  EXPECT_EQ(missing.err, "not-found: " + (dir / "none").string() +
                             ": is not a folder, so 'out' cannot be made in it");
  EXPECT_EQ(missing.status, 4);
}

TEST(Convert, NeedsAFolderToWrite) {
  EXPECT_EQ(run_command("convert", {"x"}).err, "usage: convert needs a folder to write: -o OUT");
  EXPECT_EQ(run_command("convert", {"-o", "x"}).err, "usage: missing: CHECKPOINT");
}

TEST(Convert, RefusesOptionsOutOfRange) {
  const auto refusal = [](std::vector<std::string> options) {
    options.insert(options.end(), {tiny_checkpoint(), "-o", "/none/out"});
    const auto outcome = run_command("convert", options);
    EXPECT_EQ(outcome.status, 2);
    return outcome.err;
  };
  EXPECT_EQ(refusal({"--layout", "nchw"}), "usage: --layout is 'nchw'; allowed: bc1s or bsc");
  EXPECT_EQ(refusal({"--kv", "none"}), "usage: --kv is 'none'; allowed: slice, blend or host");
  EXPECT_EQ(refusal({"--target", "ios99"}),
            "usage: --target is 'ios99'; allowed: ios18 or macos15, ios26 or macos26");
  EXPECT_EQ(refusal({"--parts", "0"}).substr(0, 22), "usage: --parts is '0';");
  EXPECT_EQ(refusal({"--parts", "7"}), "usage: --parts 7: the model has 6 layers");
  EXPECT_EQ(refusal({"--context", "100"}), "usage: --context 100: must be a multiple of 64");
}

}  // namespace
}  // namespace anemone::cli
