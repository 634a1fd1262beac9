#include <gtest/gtest.h>

#include <cmath>

#include "anemone/base/files.h"
#include "anemone/base/json.h"
#include "anemone/cli/testing.h"
#include "anemone/cli/tiny_bundle.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::cli {
namespace {

using testing::TempDir;

// The numbers of a .npy file of 4096 columns.
std::vector<float> numbers(const std::string& path) {
  const std::string text = read_text(path);
  const std::size_t header = 10 + static_cast<unsigned char>(text.at(8));
  std::vector<float> values((text.size() - header) / sizeof(float));
  std::memcpy(values.data(), text.data() + header, values.size() * sizeof(float));
  EXPECT_EQ(values.size() % 4096, 0u);
  return values;
}

TEST(Logits, WritesARowForEveryToken) {
  const TempDir dir;
  const std::string file = (dir / "l.npy").string();
  const auto outcome = run_command(
      "logits", {tiny_bundle(), "--text", "Thou shalt not take the bread", "-o", file, "--json"});
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out);
  const auto rows = json.at("rows").get<std::size_t>();
  EXPECT_EQ(json.at("columns"), 4096);
  EXPECT_EQ(json.at("ids").size(), rows);
  EXPECT_EQ(json.at("ids")[0], 2011);
  const auto values = numbers(file);
  EXPECT_EQ(values.size(), rows * 4096);
  for (const float value : values) ASSERT_TRUE(std::isfinite(value));
  const auto words =
      run_command("logits", {tiny_bundle(), "--text", "Thou shalt not take the bread", "-o", file});
  EXPECT_EQ(words.out, file + ": [" + std::to_string(rows) + ", 4096] float32, " +
                           (rows == 6 ? "98.4 kB\n" : "?"));
}

TEST(Logits, AreNearlyTheSameByEitherPath) {
  const TempDir dir;
  const std::string tokens = (dir / "ids").string();
  std::string ids;
  for (int i = 0; i < 62; ++i) ids += std::to_string(300 + 11 * i) + "\n";
  write_file(tokens, ids);
  for (const char* arithmetic : {"float16", "float32"}) {
    std::vector<float> values[2];
    for (const bool by_decode : {false, true}) {
      const std::string file = (dir / "l.npy").string();
      const auto outcome =
          run_command("logits", {tiny_bundle(), "--tokens", tokens, "-o", file, "--arithmetic",
                                 arithmetic, "--path", by_decode ? "decode" : "auto"});
      ASSERT_EQ(outcome.err, "");
      values[by_decode ? 1 : 0] = numbers(file);
    }
    ASSERT_EQ(values[0].size(), 62u * 4096u);
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < values[0].size(); ++i) {
      error += std::pow(values[0][i] - values[1][i], 2);
      norm += std::pow(values[0][i], 2);
    }
    // The sums of a block and of a row are taken in other orders; fp16 rounds each op's result.
    EXPECT_LT(std::sqrt(error / norm), arithmetic[5] == '1' ? 5e-3 : 1e-5) << arithmetic;
  }
}

TEST(Logits, RefuseWhatDoesNotFitAndLeaveNoFile) {
  const TempDir dir;
  std::string ids;
  for (int i = 0; i < 65; ++i) ids += "5 ";
  const auto outcome =
      run_command("logits", {tiny_bundle(), "--tokens", "-", "-o", (dir / "l.npy").string()}, ids);
  EXPECT_EQ(outcome.err, "limit: the prompt has 65 tokens; the context holds 64");
  EXPECT_EQ(outcome.status, 7);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(Logits, WhenStoppedLeaveNoFile) {
  const TempDir dir;
  StopFlag stop;
  stop.set();
  const auto outcome = run_command(
      "logits", {tiny_bundle(), "--text", "Thou", "-o", (dir / "l.npy").string()}, "", &stop);
  EXPECT_EQ(outcome.status, 130);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(Logits, NeedATextAndAFile) {
  EXPECT_EQ(run_command("logits", {"x", "-o", "y"}).err,
            "usage: logits takes one of --text and --tokens");
  EXPECT_EQ(run_command("logits", {"x", "--text", "y"}).err,
            "usage: logits needs a file to write: -o FILE.npy");
}

}  // namespace
}  // namespace anemone::cli
