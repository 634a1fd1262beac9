#include "anemone/cli/words.h"

#include <gtest/gtest.h>

namespace anemone::cli {
namespace {

TEST(Words, GiveThreeDigitsAndAUnit) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(1), "1 byte");
  EXPECT_EQ(bytes_text(999), "999 bytes");
  EXPECT_EQ(bytes_text(1000), "1.00 kB");
  EXPECT_EQ(bytes_text(11549064), "11.5 MB");
  EXPECT_EQ(bytes_text(999600), "1.00 MB");
  EXPECT_EQ(bytes_text(1504000000), "1.50 GB");
  EXPECT_EQ(count_text(5771520), "5.77 M");
  EXPECT_EQ(count_text(12), "12");
}

TEST(Words, GroupDigitsAndCountNouns) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(151936), "151,936");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(plural(1, "token"), "1 token");
  EXPECT_EQ(plural(1000, "token"), "1,000 tokens");
}

TEST(Words, GiveTimesAsPeopleDo) {
  EXPECT_EQ(seconds_text(0.0341), "0.034 s");
  EXPECT_EQ(seconds_text(4.26), "4.3 s");
  EXPECT_EQ(seconds_text(61.4), "61 s");
  EXPECT_EQ(seconds_text(125), "2 min 05 s");
}

}  // namespace
}  // namespace anemone::cli
