#include "anemone/base/printable.h"

#include <gtest/gtest.h>

namespace anemone {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("a/b 'c' \u00e4 \u2603 \xff"), "a/b 'c' \u00e4 \u2603 \xff");
}

TEST(Printable, SpellsOutWhatWouldMoveATerminal) {
  EXPECT_EQ(printable("a\nb\x1b[31m\x7f"), "a\\x0ab\\x1b[31m\\x7f");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\u009b31m \u00a0"), "\\x9b31m \u00a0");
}

TEST(Printable, CutsBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("ab\u2603cd", 4), "ab...");
}

}  // namespace
}  // namespace anemone
