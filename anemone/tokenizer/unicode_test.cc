#include "anemone/tokenizer/unicode.h"

#include <gtest/gtest.h>

#include "anemone/tokenizer/utf8.h"

namespace anemone {
namespace {

TEST(Unicode, ComposesAndDecomposes) {
  EXPECT_EQ(normalize("e\u0301", NormalForm::kNfc), "é");
  EXPECT_EQ(normalize("é", NormalForm::kNfd), "e\u0301");
  EXPECT_EQ(normalize("d\u0307\u0323", NormalForm::kNfc), "\u1E0D\u0307");
  EXPECT_EQ(normalize("ﬁ½１", NormalForm::kNfkc), "fi1⁄21");
  EXPECT_EQ(normalize("ﬁ", NormalForm::kNfc), "ﬁ");
  EXPECT_EQ(normalize("각", NormalForm::kNfkd), "\u1100\u1161\u11A8");
  EXPECT_EQ(normalize("\u0958", NormalForm::kNfc), "\u0915\u093C");  // excluded from composition
}

TEST(Unicode, KeepsTheHangulVowelBeforeTheFirstFinalConsonant) {
  EXPECT_EQ(normalize("\u110B\u1173\u11A7", NormalForm::kNfc), "\uC73C\u11A7");
  EXPECT_EQ(normalize("\uC73C\u11A8", NormalForm::kNfc), "\uC73D");
}

TEST(Unicode, LeavesWhatCameAfterUnicode9Alone) {
  EXPECT_EQ(normalize("\U00011938", NormalForm::kNfd), "\U00011938");
  EXPECT_EQ(normalize("㋿", NormalForm::kNfkc), "㋿");                     // U+32FF, Unicode 12.1
  EXPECT_EQ(normalize("a\u1AC0\u0323", NormalForm::kNfd), "a\u1AC0\u0323");  // a mark of Unicode 13
}

TEST(Unicode, NormalizesLongRunsOfMarksInLinearTime) {
  std::string text = "a";
  for (int i = 0; i < 200000; ++i) text += i % 2 == 0 ? "\u0301" : "\u0323";
  const std::string normal = normalize(text, NormalForm::kNfd);
  EXPECT_EQ(normal.size(), text.size());
  EXPECT_EQ(normal.substr(0, 5), "a\u0323\u0323");
}

TEST(Unicode, LowersEachCharacterByItself) {
  EXPECT_EQ(to_lower("ΣΑΣ İ ẞ Ǆ"), "σασ i\u0307 ß ǆ");
  EXPECT_EQ(to_lower("\u1C89\U00016EA0"), "\u1C8A\U00016EBB");  // of Unicode 16 and 17
}

TEST(Unicode, SortsCharacters) {
  EXPECT_TRUE(is_white_space(0x3000));
  EXPECT_FALSE(is_white_space(0x180E));
  EXPECT_FALSE(is_white_space(0x200B));
  EXPECT_TRUE(is_number(0x2167));
  EXPECT_TRUE(is_number(0x11DE0));
  EXPECT_TRUE(is_punctuation('$'));
  EXPECT_TRUE(is_punctuation(0x3001));
  EXPECT_FALSE(is_punctuation(0x1B4E));  // of Unicode 16
  EXPECT_TRUE(is_control(0x200B - 0x200B + 0x7F));
  EXPECT_FALSE(is_control('\n'));
}

TEST(Unicode, FindsGraphemeClusters) {
  EXPECT_EQ(grapheme_length("e\u0301x"), 3u);
  EXPECT_EQ(grapheme_length("👩\u200D👧x"), std::string_view("👩\u200D👧").size());
  EXPECT_EQ(grapheme_length("\r\nx"), 2u);
}

TEST(Utf8, StepsOverMaximalSubparts) {
  EXPECT_TRUE(utf8_step("\xE2\x82").cut_short);
  EXPECT_EQ(utf8_step("\xE2\x82").size_bytes, 2u);
  EXPECT_FALSE(utf8_step("\xE2(").cut_short);
  EXPECT_EQ(utf8_step("\xE2(").size_bytes, 1u);
  EXPECT_EQ(utf8_step("\xED\xA0\x80").size_bytes, 1u);
  EXPECT_EQ(utf8_step("\xF4\x8F\xBF\xBF").code, 0x10FFFFu);
  EXPECT_TRUE(is_utf8("añ歪👩"));
  EXPECT_FALSE(is_utf8("a\xFF"));
  EXPECT_EQ(first_codes("añ歪", 2), "añ");
}

}  // namespace
}  // namespace anemone
