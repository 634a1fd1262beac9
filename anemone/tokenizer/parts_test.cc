#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "anemone/base/json.h"
#include "anemone/testing/message_of.h"
#include "anemone/tokenizer/decoder.h"
#include "anemone/tokenizer/normalizer.h"
#include "anemone/tokenizer/pre_tokenizer.h"
#include "anemone/tokenizer/utf8.h"

// Each kind of normalizer, pre-tokenizer and decoder by itself.
// Source of all results, but where it says otherwise: tokenizers 0.23.3.
namespace anemone {
namespace {

std::string normalized(std::string_view part, std::string_view text) {
  const Json json = Json::parse(part);
  NormalText normal{std::string(text), 0};
  make_normalizer(Fields(json, "t.json", "normalizer"))->apply(normal);
  return normal.text;
}

// Pieces joined by '|'.
std::string cut(std::string_view part, std::string_view text) {
  const Json json = Json::parse(part);
  Pieces pieces;
  pieces.text = text;
  pieces.pieces.push_back({0, text.size(), utf8_length(text[0]), -1});
  make_pre_tokenizer(Fields(json, "t.json", "pre_tokenizer"))->apply(pieces);
  std::string out;
  for (const auto& piece : pieces.pieces)
    out += (out.empty() ? "" : "|") + std::string(pieces.view(piece));
  return out;
}

std::string decoded(std::string_view part, const std::vector<std::string>& tokens) {
  const Json json = Json::parse(part);
  std::string out;
  const auto chain = Decoder(Fields(json, "t.json", "decoder")).start(out);
  for (const auto& token : tokens) chain->take(token, true);
  chain->finish();
  const std::string once = std::exchange(out, "");
  // Token by token in single characters, and as new after finish().
  for (const auto& token : tokens) {
    for (std::size_t at = 0; at < token.size();) {
      const std::size_t length = utf8_length(token[at]);
      chain->take(std::string_view(token).substr(at, length), at + length == token.size());
      at += length;
    }
  }
  chain->finish();
  EXPECT_EQ(out, once) << part;
  return once;
}

TEST(Normalizer, KnowsEachKind) {
  EXPECT_EQ(normalized(R"({"type":"Strip","strip_left":true,"strip_right":true})", " \u3000a \n"),
            "a");
  EXPECT_EQ(normalized(R"({"type":"Strip","strip_left":true,"strip_right":false})", " a "), "a ");
  EXPECT_EQ(normalized(R"({"type":"StripAccents"})", "e\u0301\u0903"), "e");
  EXPECT_EQ(normalized(R"({"type":"Lowercase"})", "ÀΣİ"), "àσi\u0307");
  EXPECT_EQ(normalized(R"({"type":"Replace","pattern":{"String":"a"},"content":"bb"})", "aca"),
            "bbcbb");
  EXPECT_EQ(
      normalized(R"({"type":"Replace","pattern":{"Regex":" {2,}"},"content":"▁"})", "a   b c"),
      "a▁b c");
  EXPECT_EQ(normalized(R"({"type":"Replace","pattern":{"Regex":"^"},"content":"▁"})", "ab"), "▁ab");
  EXPECT_EQ(normalized(R"({"type":"Prepend","prepend":"▁"})", "x"), "▁x");
  EXPECT_EQ(normalized(R"({"type":"Prepend","prepend":"▁"})", ""), "");
  EXPECT_EQ(normalized(R"({"type":"Nmt"})", "a\u200Bb\x01\t"), "a b ");
  EXPECT_EQ(normalized(R"({"type":"ByteLevel"})", "é "), "Ã©Ġ");
  EXPECT_EQ(normalized(R"({"type":"NFKC"})", "ﬁ"), "fi");
  EXPECT_EQ(normalized(R"({"type":"BertNormalizer"})", std::string_view("É中\0x\u00A0", 9)),
            "e 中 x ");
  EXPECT_EQ(normalized(R"({"type":"Sequence","normalizers":[{"type":"NFD"},{"type":"StripAccents"},
                {"type":"Lowercase"}]})",
                       "É"),
            "e");
  EXPECT_EQ(normalized(R"({"type":"Sequence","normalizers":[]})", "É"), "É");
}

TEST(PreTokenizer, SplitsByEachBehavior) {
  const auto split = [](const char* behavior, bool invert) {
    return cut(R"({"type":"Split","pattern":{"String":"-"},"behavior":")" + std::string(behavior) +
                   R"(","invert":)" + (invert ? "true}" : "false}"),
               "the-final--countdown-");
  };
  EXPECT_EQ(split("Removed", false), "the|final|countdown");
  EXPECT_EQ(split("Removed", true), "-|-|-|-");
  EXPECT_EQ(split("Isolated", false), "the|-|final|-|-|countdown|-");
  EXPECT_EQ(split("Isolated", true), "the|-|final|-|-|countdown|-");
  EXPECT_EQ(split("MergedWithPrevious", false), "the-|final-|-|countdown-");
  EXPECT_EQ(split("MergedWithPrevious", true), "the|-final|-|-countdown|-");
  EXPECT_EQ(split("MergedWithNext", false), "the|-final|-|-countdown|-");
  EXPECT_EQ(split("MergedWithNext", true), "the-|final-|-|countdown-");
  EXPECT_EQ(split("Contiguous", false), "the|-|final|--|countdown|-");
  EXPECT_EQ(split("Contiguous", true), "the|-|final|--|countdown|-");
}

TEST(PreTokenizer, KnowsEachKind) {
  EXPECT_EQ(cut(R"({"type":"ByteLevel","add_prefix_space":true})", "a b'll é 12"),
            "Ġa|Ġb|'ll|ĠÃ©|Ġ12");
  EXPECT_EQ(cut(R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":false})", "a b"),
            "aĠb");
  EXPECT_EQ(cut(R"({"type":"Digits"})", "a12b½"), "a|12|b|½");
  EXPECT_EQ(cut(R"({"type":"Digits","individual_digits":true})", "a12b"), "a|1|2|b");
  EXPECT_EQ(cut(R"({"type":"Whitespace"})", "Hey, man! a\u200Db 'x'"),
            "Hey|,|man|!|a\u200Db|'|x|'");
  EXPECT_EQ(cut(R"({"type":"WhitespaceSplit"})", "a  b\u3000c"), "a|b|c");
  EXPECT_EQ(cut(R"({"type":"Punctuation"})", "a$b、c..d"), "a|$|b|、|c|.|.|d");
  EXPECT_EQ(cut(R"({"type":"Punctuation","behavior":"Contiguous"})", "c..d"), "c|..|d");
  EXPECT_EQ(cut(R"({"type":"BertPreTokenizer"})", "Hey, man$"), "Hey|,|man|$");
  EXPECT_EQ(cut(R"({"type":"CharDelimiterSplit","delimiter":"x"})", "axbx"), "a|b");
  EXPECT_EQ(cut(R"({"type":"FixedLength","length":2})", "abécd"), "ab|éc|d");
  EXPECT_EQ(cut(R"({"type":"Sequence","pretokenizers":[]})", "a b"), "a b");
}

TEST(PreTokenizer, PutsALetterForSpacesAndBeforeTheFirstPiece) {
  const auto metaspace = [](const char* rest, std::string_view text) {
    return cut(R"({"type":"Metaspace","replacement":"▁",)" + std::string(rest) + "}", text);
  };
  EXPECT_EQ(metaspace(R"("prepend_scheme":"always")", "Hey  friend"), "▁Hey|▁|▁friend");
  EXPECT_EQ(metaspace(R"("prepend_scheme":"never")", "Hey  friend"), "Hey|▁|▁friend");
  EXPECT_EQ(metaspace(R"("prepend_scheme":"always","split":false)", " Hey friend"), "▁Hey▁friend");
  const std::string words = R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},
      {"type":"Metaspace","replacement":"▁","prepend_scheme":")";
  EXPECT_EQ(cut(words + R"(first"}]})", "a b"), "▁a|b");
  EXPECT_EQ(cut(words + R"(always"}]})", "a b"), "▁a|▁b");
  // Files from before there was a prepend_scheme. Not from tokenizers, which refuses them by now.
  EXPECT_EQ(metaspace(R"("add_prefix_space":false)", "a"), "a");
  EXPECT_EQ(metaspace(R"("add_prefix_space":true)", "a"), "▁a");
  EXPECT_EQ(testing::message_of(
                [&] { metaspace(R"("add_prefix_space":false,"prepend_scheme":"first")", "a"); }),
            "bad-input: t.json: pre_tokenizer (Metaspace): 'prepend_scheme' is 'first', which "
            "contradicts "
            "'add_prefix_space' = false");
}

TEST(Decoder, KnowsEachKind) {
  EXPECT_EQ(decoded(R"({"type":"BPEDecoder","suffix":"</w>"})", {"a", "b</w>", "c</w>"}), "ab c");
  EXPECT_EQ(decoded(R"({"type":"WordPiece","prefix":"##","cleanup":true})",
                    {"a", "##b", "c", ".", "do", "not"}),
            "ab c. do not");
  EXPECT_EQ(
      decoded(R"({"type":"WordPiece","prefix":"##","cleanup":false})", {"a", "##b", ".", "x"}),
      "ab . x");
  EXPECT_EQ(decoded(R"({"type":"Strip","content":" ","start":1,"stop":1})", {"  a  ", " b "}),
            " a b");
  EXPECT_EQ(decoded(R"({"type":"Strip","content":" ","start":2,"stop":2})", {"  ", "a ", "   "}),
            "a");
  EXPECT_EQ(decoded(R"({"type":"Replace","pattern":{"String":"▁"},"content":" "})", {"▁a", "▁"}),
            " a ");
  EXPECT_EQ(decoded(R"({"type":"Replace","pattern":{"Regex":"a+"},"content":"x"})", {"aab", "a"}),
            "xbx");
  EXPECT_EQ(decoded(R"({"type":"ByteFallback"})",
                    {"<0xE6>", "<0xAD>", "<0xAA>", "a", "<0xE6>", "<0xAD>", "b"}),
            "歪a\uFFFD\uFFFDb");
  EXPECT_EQ(decoded(R"({"type":"ByteLevel"})", {"Ġa", "é", "<|x y|>"}), " a\uFFFD<|x y|>");
  EXPECT_EQ(
      decoded(
          R"({"type":"Sequence","decoders":[{"type":"Fuse"},{"type":"Strip","content":" ","start":1,
                "stop":0}]})",
          {" a", " b"}),
      "a b");
  EXPECT_EQ(decoded(R"({"type":"Sequence","decoders":[{"type":"Fuse"},{"type":"Replace",
                "pattern":{"String":"aab"},"content":"x"}]})",
                    {"a", "a", "aabaa", "b", "aa"}),
            "aaxxaa");
}

TEST(Decoder, HandsOnAsSoonAsNothingCanChange) {
  const Json json = Json::parse(R"({"type":"Sequence","decoders":[
      {"type":"Replace","pattern":{"String":"▁"},"content":" "},{"type":"ByteFallback"},{"type":"Fuse"},
      {"type":"Strip","content":" ","start":1,"stop":0}]})");
  std::string out;
  const auto chain = Decoder(Fields(json, "t.json", "decoder")).start(out);
  const auto push = [&](const char* token) {
    out.clear();
    chain->take(token, true);
    return out;
  };
  EXPECT_EQ(push("▁Hello"), "Hello");
  EXPECT_EQ(push("▁world"), " world");
  EXPECT_EQ(push("<0xE6>"), "");
  EXPECT_EQ(push("<0xAD>"), "");
  EXPECT_EQ(push("<0xAA>"), "");  // a later byte may still break the whole run
  EXPECT_EQ(push("!"), "歪!");
}

}  // namespace
}  // namespace anemone
