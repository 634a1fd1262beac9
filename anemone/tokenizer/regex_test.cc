#include "anemone/tokenizer/regex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "anemone/testing/message_of.h"

namespace anemone {
namespace {

// The text cut at every match, the pieces joined by '|': matches and what lies between them.
std::string cut(std::string_view pattern, std::string_view text) {
  const auto regex = Regex::compile(pattern, "t.json");
  std::string out;
  std::size_t done = 0;
  const auto add = [&](std::size_t begin, std::size_t end) {
    if (begin < end) out += (out.empty() ? "" : "|") + std::string(text.substr(begin, end - begin));
  };
  regex.for_each_match(text, [&](Regex::Match match) {
    add(done, match.begin);
    add(match.begin, match.end);
    done = match.end;
  });
  add(done, text.size());
  return out;
}

std::string refusal(std::string_view pattern) {
  return testing::message_of([&] { Regex::compile(pattern, "t.json"); });
}

// Source of all results: tokenizers 0.23.3, pre-tokenizer Split with behavior Isolated.
TEST(Regex, ReadsRubysAnchorsAndDots) {
  EXPECT_EQ(cut("^a", "a\na\n"), "a|\n|a|\n");
  EXPECT_EQ(cut("a$", "a\na\nb"), "a|\n|a|\nb");
  EXPECT_EQ(cut("a\\z", "a\na"), "a\n|a");
  EXPECT_EQ(cut("a\\Z", "a\na\n"), "a\n|a|\n");
  EXPECT_EQ(cut(".+", "\n\r\xE2\x80\xA8"), "\n|\r\xE2\x80\xA8");
  EXPECT_EQ(cut("(?m:.+)", "\n\r"), "\n\r");
  EXPECT_EQ(cut("(?m).+", "\n\r"), "\n\r");
}

TEST(Regex, ReadsRubysQuantifiers) {
  EXPECT_EQ(cut("a{2}+", "aaaaa"), "aaaa|a");
  EXPECT_EQ(cut("a{1,2}+b", "aaab"), "aaab");
  EXPECT_EQ(cut("a{,2}", "aaa"), "aa|a");
  EXPECT_EQ(cut("a{2}?", "aaa"), "aa|a");
  EXPECT_EQ(cut("a++a", "aaa"), "aaa");
  EXPECT_EQ(cut("a**", "aaa"), "aaa");
  EXPECT_EQ(cut("a{x}", "a{x}"), "a{x}");
  EXPECT_EQ(cut("a{,}", "a{,}"), "a{,}");
  EXPECT_EQ(cut("\\p{N}{1,3}(?=(?:\\p{N}{3})*\\b)", "1234567"), "1|234|567");
}

TEST(Regex, ReadsRubysEscapes) {
  EXPECT_EQ(cut("\\h", "gf0"), "g|f|0");
  EXPECT_EQ(cut("\\v", "\v"), "\v");
  EXPECT_EQ(cut("\\x41\\x{42}\\u0043", "ABC"), "ABC");
  EXPECT_EQ(cut("\\Qa.b\\E", "Qa.bE"), "Qa.bE");
  EXPECT_EQ(cut("\\R", "\r\n\n\r"), "\r\n|\n|\r");
  EXPECT_EQ(cut("\\X", "e\u0301x"), "e\u0301|x");
  EXPECT_EQ(cut("(?<n>a)\\k<n>", "aa"), "aa");
  EXPECT_EQ(cut("(?<x>a|\\(\\g<x>\\))", "((a))"), "((a))");
  EXPECT_EQ(cut("(?x: a b # c\n)", "ab"), "ab");
  EXPECT_EQ(cut("(?#c)a", "a"), "a");
}

TEST(Regex, CountsLatinFractionsAsWordsOutsideOfClassesOnly) {
  EXPECT_EQ(cut("\\w+", "a²³b"), "a²³b");
  EXPECT_EQ(cut("[\\w]+", "a²³b"), "a|²³|b");
  EXPECT_EQ(cut("[\\W]", "a²³b"), "a|²|³|b");
  EXPECT_EQ(cut("\\b", "a ²b"), "a| |²b");
}

TEST(Regex, NestsAndIntersectsClasses) {
  EXPECT_EQ(cut("[a-c&&b-d]+", "abcd"), "a|bc|d");
  EXPECT_EQ(cut("[^a[cd]]", "abcd"), "a|b|cd");
  EXPECT_EQ(cut("[a[^b]]+", "abca"), "a|b|ca");
  EXPECT_EQ(cut("[]a]+", "]a"), "]a");
  EXPECT_EQ(cut("[[:alpha:]_]+", "ab_1"), "ab_|1");
  EXPECT_EQ(cut("[[:^alpha:]]+", "ab_1"), "ab|_1");
  EXPECT_EQ(cut("[^\\S\\n]+", " \n\t"), " |\n|\t");
  EXPECT_EQ(cut("[\\s\\S]+", "a \n"), "a \n");
  EXPECT_EQ(cut(" ?[^(\\s|[.,!?])]+", "ab, cd"), "ab|,| cd");  // as Bloom's
}

TEST(Regex, KnowsUnicode16WhateverItsLibraryKnows) {
  EXPECT_EQ(cut("\\p{L}+", "a\U00011F05\u1C89b"), "a\U00011F05\u1C89b");
  EXPECT_EQ(cut("\\p{N}+", "1\U00011F50\U0001CCF0"), "1\U00011F50\U0001CCF0");
  EXPECT_EQ(cut("\\p{P}+", "!\u1B4E"), "!\u1B4E");
  EXPECT_EQ(cut("[^\\p{L}]+", "\U000323AF1"), "\U000323AF|1");
  EXPECT_EQ(cut("\\p{Han}+", "一\U000323AF、"), "一\U000323AF|、");
  EXPECT_EQ(cut("\\p{^L}+", "a1b"), "a|1|b");
  EXPECT_EQ(cut("\\p{Letter}+|\\p{alpha}", "ab1"), "ab|1");
  EXPECT_EQ(cut("\\s+", "a\u180E \u0085b"), "a\u180E| \u0085|b");
}

TEST(Regex, FoldsCaseAsUnicodeDoes) {
  EXPECT_EQ(cut("(?i:'s)", "'ſ'S"), "'ſ|'S");
  EXPECT_EQ(cut("(?i:k)", "\u212A"), "\u212A");
  EXPECT_EQ(cut("(?i)a(?-i)b", "AbAB"), "Ab|AB");
}

TEST(Regex, SkipsEmptyMatchesBehindMatches) {
  EXPECT_EQ(cut("x*", "axb"), "a|x|b");
  EXPECT_EQ(cut("", "ab"), "a|b");
  EXPECT_EQ(cut("(?=b)", "abab"), "a|ba|b");
  EXPECT_EQ(cut("$", "ab\n"), "ab|\n");
}

TEST(Regex, RefusesWhatItCannotTranslateByName) {
  EXPECT_EQ(refusal("(?~ab)"),
            "unsupported: t.json: the pattern '(?~ab)' uses the group '(?~', which anemone does "
            "not translate");
  EXPECT_EQ(refusal("\\p{Klingon}"),
            "unsupported: t.json: the pattern '\\p{Klingon}' uses the property "
            "'Klingon', which anemone does not translate");
  EXPECT_EQ(refusal("\\xE9"),
            "unsupported: t.json: the pattern '\\xE9' uses a byte escape '\\x{E9}' beyond "
            "ASCII, which anemone does not translate");
  EXPECT_EQ(refusal("a("), "bad-input: t.json: the pattern 'a(' has a '(' without a ')'");
  EXPECT_EQ(refusal("a)"), "bad-input: t.json: the pattern 'a)' has a ')' without a '('");
  EXPECT_EQ(refusal("[a"), "bad-input: t.json: the pattern '[a' has a '[' without a ']'");
  EXPECT_EQ(refusal("+a"), "bad-input: t.json: the pattern '+a' has a '+' with nothing to repeat");
  EXPECT_EQ(refusal("[z-a]"),
            "bad-input: t.json: the pattern '[z-a]' has an empty range in a character class");
  EXPECT_EQ(refusal("\\"), "bad-input: t.json: the pattern '\\' ends in a backslash");
  EXPECT_EQ(refusal("(a)\\2"),
            "bad-input: t.json: the pattern '(a)\\2' is no regular expression: reference to "
            "non-existent subpattern");
  EXPECT_EQ(refusal(std::string(70000, 'a')),
            "limit: t.json: a pattern of 70000 bytes; at most 65536 are allowed");
  EXPECT_EQ(refusal(std::string(300, '(') + std::string(300, ')')).substr(0, 11), "bad-input: ");
}

TEST(Regex, GivesUpOnAPatternThatExplodes) {
  const auto regex = Regex::compile("(?:a+)+[xy]", "t.json");
  const std::string text = std::string(40, 'a') + "b";
  EXPECT_EQ(
      testing::message_of([&] { regex.find(text, 0); }),
      "limit: t.json: the pattern '(?:a+)+[xy]' cannot be matched against a text of 41 bytes: "
      "match limit exceeded");
}

TEST(Regex, TakesAMegabyteOfOneLetter) {
  const std::string text(1u << 20, 'a');
  for (const std::string_view pattern :
       {"\\p{L}+", "(?:\\p{L}|\\p{N})+", "(?:[a-z]\\p{M}*)+", "\\s+(?!\\S)|\\w+"}) {
    const auto match = Regex::compile(pattern, "t.json").find(text, 0);
    ASSERT_TRUE(match);
    EXPECT_EQ(match->end, text.size()) << pattern;
  }
}

}  // namespace
}  // namespace anemone
