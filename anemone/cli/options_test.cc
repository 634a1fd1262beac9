#include "anemone/cli/options.h"

#include <gtest/gtest.h>

#include "anemone/cli/testing.h"

namespace anemone::cli {
namespace {

struct Parsed {
  std::string file;
  bool force = false;
  std::optional<std::string> text;
  std::vector<std::string> keys;
  std::int64_t parts = 7;
  std::optional<std::int64_t> top_k;
  std::optional<double> top_p;
  std::string kind = "a";
  bool went_on = false;
  Outcome outcome;
};

Parsed parsed;

int run_probe(const Console& console, Arguments arguments);
constexpr Command kProbe{
    .name = "probe", .says = "for tests", .usage = "[options] FILE", .run = run_probe};

int run_probe(const Console& console, Arguments arguments) {
  Options options(kProbe);
  options.about("Looks at its own options.");
  options.operand("FILE", parsed.file);
  options.flag("--force", parsed.force, "at all costs");
  options.text("--text T", parsed.text, "words");
  options.texts("--key K", parsed.keys, "repeatable");
  options.integer("--parts N|auto", parsed.parts, 1, 100, "(default: auto)", 0);
  options.integer("--top-k N", parsed.top_k, 0, std::numeric_limits<std::int64_t>::max(), "few");
  options.number("--top-p P", parsed.top_p, "(default: 1)");
  options.choice("--kind K", parsed.kind, {"a", "b", "cc"}, "one of three");
  options.example("anemone probe x");
  parsed.went_on = options.parse(console, arguments);
  return 0;
}

Parsed parse(const std::vector<std::string>& arguments) {
  parsed = {};
  StopFlag stop;
  std::istringstream in;
  std::ostringstream out, err;
  const Console console{.in = in, .out = out, .err = err, .stop = &stop};
  try {
    run_probe(console, arguments);
  } catch (const Error& error) {
    parsed.outcome.status = exit_status(error.code());
    parsed.outcome.err = error.what();
  }
  parsed.outcome.out = out.str();
  return parsed;
}

std::string refusal(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "file");
  const Parsed result = parse(arguments);
  EXPECT_EQ(result.outcome.status, result.outcome.err.empty() ? 0 : 2);
  return result.outcome.err;
}

TEST(Options, TakeValuesFromTheNextArgumentOrBehindAnEqualsSign) {
  const Parsed result = parse({"--text", "--force", "file", "--key=a=b", "--key", "",
                               "--top-p=-0.5", "--parts", "auto", "--kind", "cc"});
  EXPECT_EQ(result.text, "--force");
  EXPECT_FALSE(result.force);
  EXPECT_EQ(result.file, "file");
  EXPECT_EQ(result.keys, (std::vector<std::string>{"a=b", ""}));
  EXPECT_EQ(result.top_p, -0.5);
  EXPECT_EQ(result.parts, 0);
  EXPECT_EQ(result.kind, "cc");
  EXPECT_TRUE(result.went_on);
  EXPECT_EQ(parse({"f", "--text="}).text, "");
  EXPECT_EQ(parse({"f", "--text", "[a,b]"}).text, "[a,b]");
}

TEST(Options, EndAtADoubleDash) {
  EXPECT_EQ(parse({"--", "--force"}).file, "--force");
  EXPECT_EQ(parse({"-"}).file, "-");
  EXPECT_EQ(parse({""}).file, "");
}

TEST(Options, NameTheNearestOfAnUnknownOne) {
  EXPECT_EQ(refusal({"--top-q", "1"}), "there is no option '--top-q'; did you mean '--top-k'?");
  EXPECT_EQ(refusal({"--forec"}), "there is no option '--forec'; did you mean '--force'?");
  EXPECT_EQ(refusal({"--par=3"}), "there is no option '--par'; did you mean '--parts'?");
  EXPECT_EQ(refusal({"-force"}), "there is no option '-force'; did you mean '--force'?");
  EXPECT_EQ(refusal({"--zzzzzzzz"}), "there is no option '--zzzzzzzz'");
}

TEST(Options, RefuseWhatTheyCannotTake) {
  EXPECT_EQ(refusal({"--parts", "0"}),
            "--parts is '0'; allowed: an integer from 1 to 100, or auto");
  EXPECT_EQ(refusal({"--parts", "2x"}),
            "--parts is '2x'; allowed: an integer from 1 to 100, or auto");
  EXPECT_EQ(refusal({"--top-k", "-1"}), "--top-k is '-1'; allowed: an integer of at least 0");
  EXPECT_EQ(refusal({"--top-k=99999999999999999999"}),
            "--top-k is '99999999999999999999'; allowed: an integer of at least 0");
  EXPECT_EQ(refusal({"--top-p", "much"}), "--top-p is 'much'; allowed: a number");
  EXPECT_EQ(refusal({"--top-p="}), "--top-p is ''; allowed: a number");
  EXPECT_EQ(refusal({"--kind", "d"}), "--kind is 'd'; allowed: a, b or cc");
  EXPECT_EQ(refusal({"--force=yes"}), "--force takes no value");
  EXPECT_EQ(refusal({"--text"}), "--text needs a value: --text T");
  EXPECT_EQ(refusal({"--force", "--force"}), "--force is given twice");
  EXPECT_EQ(refusal({"more"}), "'more' is one argument too many");
  EXPECT_EQ(parse({"--force"}).outcome.err, "missing: FILE");
}

TEST(Options, TeachThemselves) {
  const Parsed result = parse({"--force", "--help", "--nonsense"});
  EXPECT_FALSE(result.went_on);
  EXPECT_EQ(result.outcome.status, 0);
  EXPECT_EQ(result.outcome.out,
            "usage: anemone probe [options] FILE\n"
            "Looks at its own options.\n"
            "\n"
            "  --force         at all costs\n"
            "  --text T        words\n"
            "  --key K         repeatable\n"
            "  --parts N|auto  (default: auto)\n"
            "  --top-k N       few\n"
            "  --top-p P       (default: 1)\n"
            "  --kind K        one of three\n"
            "  --help          this text\n"
            "\n"
            "example: anemone probe x\n");
}

TEST(Numbers, AreReadWholeOrNotAtAll) {
  EXPECT_EQ(find_number("1e-38"), 1e-38);
  EXPECT_EQ(find_number("1e-400"), 0.0);
  EXPECT_EQ(find_number("+2.5"), 2.5);
  EXPECT_EQ(find_number("1e400"), std::nullopt);
  EXPECT_EQ(find_number("1,5"), std::nullopt);
  EXPECT_EQ(find_number("+-1"), std::nullopt);
  EXPECT_EQ(find_number(""), std::nullopt);
  EXPECT_EQ(find_number("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(find_integer("12"), 12);
  EXPECT_EQ(find_integer("1.0"), std::nullopt);
  EXPECT_EQ(find_integer(" 1"), std::nullopt);
}

}  // namespace
}  // namespace anemone::cli
