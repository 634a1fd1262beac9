#include <gtest/gtest.h>

#include "anemone/base/json.h"
#include "anemone/cli/testing.h"

namespace anemone::cli {
namespace {

std::string detokenize(std::vector<std::string> arguments, const std::string& in = "") {
  arguments.insert(arguments.begin(), tiny_checkpoint());
  const auto outcome = run_command("detokenize", arguments, in);
  return outcome.out + outcome.err;
}

TEST(Detokenize, KeepsSpecialTokensUnlessToldNotTo) {
  const std::string ids = "4092,405,271,198,443,4093,198,4094,4095";
  EXPECT_EQ(detokenize({"--ids", ids}), "<|im_start|>user\nhi<|im_end|>\n<think></think>\n");
  // <think> is an added token, but not a special one.
  EXPECT_EQ(detokenize({"--ids", ids, "--skip-special"}), "user\nhi\n<think></think>\n");
  EXPECT_EQ(detokenize({"--ids", "2011 876, 334", "--json"}), "{\"text\":\"Thou shalt not\"}\n");
  EXPECT_EQ(detokenize({"--ids", ""}), "\n");
}

TEST(Detokenize, AnIdWithoutATokenIsNothing) {
  EXPECT_EQ(detokenize({"--ids", "2011,4096,2147483647,876"}), "Thou shalt\n");
}

TEST(Detokenize, GivesValidUtf8ForHalfACharacter) {
  EXPECT_EQ(detokenize({"--ids", "172,253", "--json"}), "{\"text\":\"\uFFFD\"}\n");
}

TEST(Detokenize, AnswersALineForALine) {
  EXPECT_EQ(detokenize({"--lines", "-"}, "[2011,876,334]\n[]\n[198]\n1 2\n"),
            "\"Thou shalt not\"\n\"\"\n\"\\n\"\n\"\\\"#\"\n");
  EXPECT_EQ(detokenize({"--lines", "-"}, "[1]\n[x]\n").substr(0, 59),
            "\"\\\"\"\nbad-input: standard input: line 2: is not JSON at line");
}

TEST(Detokenize, UndoesTokenize) {
  const std::string text = " a . b , c 's\t\n\n  \u00e9 \U0001F469\u200D\U0001F467 12345";
  const auto ids = run_command("tokenize", {tiny_checkpoint(), "--text", text}).out;
  EXPECT_EQ(detokenize({"--ids", ids}), text + "\n");
}

TEST(Detokenize, NeedsOneSourceOfIds) {
  EXPECT_EQ(detokenize({}), "usage: detokenize takes one of --ids and --lines");
}

}  // namespace
}  // namespace anemone::cli
