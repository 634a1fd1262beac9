#include <gtest/gtest.h>

#include "anemone/base/files.h"
#include "anemone/cli/testing.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::cli {
namespace {

// Ids and tokens are those of tokenizers 0.23.3 for models/tiny-qwen3/tokenizer.json.
TEST(Tokenize, PrintsIdsOrAnObject) {
  const auto plain = run_command("tokenize", {tiny_checkpoint(), "--text", "Thou shalt not"});
  EXPECT_EQ(plain.out, "2011 876 334\n");
  EXPECT_EQ(plain.err, "");
  EXPECT_EQ(run_command("tokenize", {tiny_checkpoint(), "--text", "Thou shalt not", "--json"}).out,
            "{\"ids\":[2011,876,334],\"tokens\":[\"Thou\",\"Ġshalt\",\"Ġnot\"]}\n");
  EXPECT_EQ(run_command("tokenize", {"--text=<|im_start|>user\nhi<|im_end|>\n",
                                     tiny_checkpoint() + "/tokenizer.json"})
                .out,
            "4092 405 271 198 443 4093 198\n");
  EXPECT_EQ(run_command("tokenize", {tiny_checkpoint(), "--text="}).out, "\n");
}

TEST(Tokenize, AnswersALineForALine) {
  const testing::TempDir dir;
  const std::string file = (dir / "lines").string();
  write_file(file, std::string_view("\"Thou shalt not\"\n\"\"\n\"\\u00e9\\ud83d\\ude00 x\"\n"));
  const std::string expected = "[2011,876,334]\n[]\n[127,102,172,253,246,222,220,87]\n";
  EXPECT_EQ(run_command("tokenize", {tiny_checkpoint(), "--lines", file}).out, expected);
  EXPECT_EQ(run_command("tokenize", {tiny_checkpoint(), "--lines", "-"}, read_text(file)).out,
            expected);
}

TEST(Tokenize, NamesTheLineThatIsNoJsonString) {
  const auto number = run_command("tokenize", {tiny_checkpoint(), "--lines", "-"}, "\"a\"\n5\n");
  EXPECT_EQ(number.err, "bad-input: standard input: line 2: is not a JSON string");
  EXPECT_EQ(number.status, 3);
  const auto bare = run_command("tokenize", {tiny_checkpoint(), "--lines", "-"}, "abc\n");
  EXPECT_EQ(bare.err.substr(0, 48), "bad-input: standard input: line 1: is not JSON a");
}

TEST(Tokenize, NeedsOneSourceOfText) {
  EXPECT_EQ(run_command("tokenize", {"x"}).err, "usage: tokenize takes one of --text and --lines");
  EXPECT_EQ(run_command("tokenize", {"x", "--text", "a", "--lines", "b"}).status, 2);
}

TEST(Tokenize, TakesLinesByTheThousand) {
  std::string lines;
  for (int i = 0; i < 2000; ++i) lines += "\"line " + std::to_string(i) + " of many\"\n";
  const auto outcome = run_command("tokenize", {tiny_checkpoint(), "--lines", "-"}, lines);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 2000);
}

}  // namespace
}  // namespace anemone::cli
