#include "anemone/cli/inputs.h"

#include <gtest/gtest.h>

#include <sstream>

#include "anemone/base/files.h"
#include "anemone/testing/message_of.h"
#include "anemone/testing/temp_dir.h"
#include "anemone/testing/toy_model.h"

namespace anemone::cli {
namespace {

using testing::message_of;
using testing::TempDir;

TEST(ParseIds, TakesIntegersOrAJsonArray) {
  const std::vector<int> ids{1, 22, 333};
  for (const char* text : {"1 22 333", "\n1\t22\r\n 333\n", "1,22,333", "1, 22, 333", "[1,22,333]",
                           " [ 1 , 22,\n333 ]\n"}) {
    EXPECT_EQ(parse_ids(text, "x"), ids) << text;
  }
  EXPECT_TRUE(parse_ids("", "x").empty());
  EXPECT_TRUE(parse_ids(" \n", "x").empty());
  EXPECT_TRUE(parse_ids("[]", "x").empty());
  EXPECT_EQ(parse_ids("2147483647", "x"), std::vector<int>{2147483647});
}

TEST(ParseIds, NamesWhatIsNoId) {
  constexpr char kAllowed[] =
      " is not a token id; allowed: integers from 0 to 2147483647, separated by white space, or a "
      "JSON array of them";
  const auto refusal = [](const char* text) { return message_of([&] { parse_ids(text, "F"); }); };
  EXPECT_EQ(refusal("1 two"), std::string("bad-input: F: 'two'") + kAllowed);
  EXPECT_EQ(refusal("1 2.5"), std::string("bad-input: F: '2.5'") + kAllowed);
  EXPECT_EQ(refusal("-1"), std::string("bad-input: F: '-1'") + kAllowed);
  EXPECT_EQ(refusal("2147483648"), std::string("bad-input: F: '2147483648'") + kAllowed);
  EXPECT_EQ(refusal("[1, \"2\"]"), std::string("bad-input: F: \"2\"") + kAllowed);
  EXPECT_EQ(refusal("[1, -2]"), std::string("bad-input: F: -2") + kAllowed);
  EXPECT_EQ(refusal("[[1]]"), std::string("bad-input: F: [1]") + kAllowed);
  EXPECT_EQ(refusal("[1, 18446744073709551615]"),
            std::string("bad-input: F: 18446744073709551615") + kAllowed);
  EXPECT_NE(refusal("[1, 2").find("F: is not JSON"), std::string::npos);
}

TEST(Inputs, ReadFilesAndStandardInput) {
  const TempDir dir;
  std::istringstream in("a\nb");
  std::ostringstream out;
  const Console console{.in = in, .out = out, .err = out};
  EXPECT_EQ(read_input(console, "-"), "a\nb");
  write_file(dir / "f", std::string_view("1\n\n2"));
  LineReader lines(console, (dir / "f").string());
  std::string line;
  EXPECT_TRUE(lines.next(line));
  EXPECT_TRUE(lines.next(line));
  EXPECT_EQ(line, "");
  EXPECT_EQ(lines.where(), (dir / "f").string() + ": line 2");
  EXPECT_TRUE(lines.next(line));
  EXPECT_EQ(line, "2");
  EXPECT_FALSE(lines.next(line));
  EXPECT_EQ(
      message_of([&] { LineReader(console, (dir / "none").string()); }),
      "not-found: " + (dir / "none").string() + ": cannot be opened: No such file or directory");
  EXPECT_EQ(message_of([&] { LineReader(console, dir.path().string()); }),
            "io: " + dir.path().string() + ": cannot be opened");
}

TEST(LoadTokenizer, TakesAFolderOrTheFileItself) {
  const TempDir dir;
  write_file(dir / "tokenizer.json", testing::toy_tokenizer_json());
  EXPECT_EQ(load_tokenizer(dir.path()).vocab_size(), 16);
  EXPECT_EQ(load_tokenizer(dir / "tokenizer.json").vocab_size(), 16);
  std::filesystem::remove(dir / "tokenizer.json");
  testing::write_toy_bundle(dir.path(), {});
  EXPECT_EQ(message_of([&] { load_tokenizer(dir.path()); }),
            "not-found: " + dir.path().string() +
                ": the bundle has no tokenizer; it was converted from a checkpoint without one");
  EXPECT_NE(message_of([&] { load_tokenizer(dir / "none"); }).find("none"), std::string::npos);
}

}  // namespace
}  // namespace anemone::cli
