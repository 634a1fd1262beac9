#include "anemone/tokenizer/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "anemone/base/json.h"
#include "anemone/testing/message_of.h"
#include "anemone/tokenizer/byte_level.h"
#include "anemone/tokenizer/utf8.h"

namespace anemone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Ids = std::vector<int>;

// A BPE over single characters, ids in order, and whatever `change` does to the file.
Json toy(std::string_view characters, const std::function<void(Json&)>& change = {}) {
  Json file = {{"version", "1.0"}, {"added_tokens", Json::array()}};
  Json vocab = Json::object();
  for (std::size_t at = 0; at < characters.size();) {
    std::string text;
    append_code(text, next_code(characters, at));
    const auto id = vocab.size();
    vocab[text] = id;
  }
  file["model"] = {{"type", "BPE"}, {"vocab", vocab}, {"merges", Json::array()}};
  if (change) change(file);
  return file;
}

Tokenizer load(const Json& file) { return Tokenizer::from_json(to_line(file), "toy.json"); }

Json added(int id, std::string_view content, Json flags = Json::object()) {
  Json token = {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
                {"rstrip", false}, {"normalized", false}, {"special", false}};
  token.update(flags);
  return token;
}

// All 256 letters, id = byte, and tokens for `words` behind them, with the merges they need.
Json byte_level(const std::vector<std::string>& words,
                const std::function<void(Json&)>& change = {}) {
  return toy("", [&](Json& file) {
    Json& vocab = file["model"]["vocab"];
    for (int byte = 0; byte < 256; ++byte) {
      vocab[std::string(byte_to_letter(static_cast<unsigned char>(byte)))] = byte;
    }
    for (const std::string& word : words) {
      std::string left(byte_to_letter(static_cast<unsigned char>(word[0])));
      for (std::size_t i = 1; i < word.size(); ++i) {
        const std::string right(byte_to_letter(static_cast<unsigned char>(word[i])));
        if (!vocab.contains(left + right)) {
          file["model"]["merges"].push_back({left, right});
          const auto id = vocab.size();
          vocab[left + right] = id;
        }
        left += right;
      }
    }
    file["pre_tokenizer"] = {
        {"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}};
    file["decoder"] = {{"type", "ByteLevel"}};
    if (change) change(file);
  });
}

std::string stream(const Tokenizer& tokenizer, const Ids& ids, bool skip_special = false) {
  StreamDecoder decoder(tokenizer, {.skip_special = skip_special});
  std::string text;
  for (const int id : ids) {
    const std::string piece = decoder.push(id);
    EXPECT_TRUE(is_utf8(piece));
    text += piece;
  }
  return text + decoder.flush();
}

TEST(Tokenizer, TakesMergesAsPairsAndAsLines) {
  const auto with = [](Json merges) {
    return load(toy("ab", [&](Json& file) {
      file["model"]["vocab"].update({{"ab", 2}, {"aba", 3}, {" ", 4}, {"a ", 5}});
      file["model"]["merges"] = std::move(merges);
    }));
  };
  EXPECT_THAT(with({"#version: 0.2", "a b", "ab a"}).encode("abaab"), ElementsAre(3, 2));
  EXPECT_THAT(with(Json::parse(R"([["a","b"],["ab","a"]])")).encode("abaab"), ElementsAre(3, 2));
  EXPECT_THAT(with(Json::parse(R"([["a"," "]])")).encode("a b"), ElementsAre(5, 1));
}

TEST(Tokenizer, LetsALaterMergeOfTheSamePairCount) {
  const auto tokenizer = load(toy("abc", [](Json& file) {
    file["model"]["vocab"].update({{"ab", 3}, {"bc", 4}});
    file["model"]["merges"] = Json::parse(R"([["a","b"],["b","c"],["a","b"]])");
  }));
  EXPECT_THAT(tokenizer.encode("abc"), ElementsAre(0, 4));
}

constexpr std::string_view kLetters = "abcdefgh <>mt.,中xé1_";  // 20 of them

TEST(Tokenizer, SwallowsWhiteSpaceOnTheSideThatAnAddedTokenAsks) {
  const auto with = [](bool left, bool right) {
    return load(toy(kLetters, [&](Json& file) {
      file["added_tokens"] = {added(20, "<m>", {{"lstrip", left}, {"rstrip", right}})};
    }));
  };
  // Source of the ids: tokenizers 0.23.3.
  EXPECT_THAT(with(false, false).encode("ab <m> c"), ElementsAre(0, 1, 8, 20, 8, 2));
  EXPECT_THAT(with(true, false).encode("ab <m> c"), ElementsAre(0, 1, 20, 8, 2));
  EXPECT_THAT(with(false, true).encode("ab <m> c"), ElementsAre(0, 1, 8, 20, 2));
  EXPECT_THAT(with(true, true).encode("ab <m> c"), ElementsAre(0, 1, 20, 2));
  EXPECT_THAT(with(true, true).encode("ab<m>c"), ElementsAre(0, 1, 20, 2));
  EXPECT_THAT(with(true, false).encode("  <m>  "), ElementsAre(20, 8, 8));
  EXPECT_THAT(with(false, true).encode("  <m>  "), ElementsAre(8, 8, 20));
  EXPECT_THAT(with(true, true).encode("  <m>  "), ElementsAre(20));
}

TEST(Tokenizer, MatchesASingleWordBetweenWordBordersOnly) {
  const auto tokenizer = load(toy(kLetters, [](Json& file) {
    file["added_tokens"] = {added(20, "<m>", {{"single_word", true}})};
  }));
  EXPECT_THAT(tokenizer.encode("<m> t"), ElementsAre(20, 8, 12));
  EXPECT_THAT(tokenizer.encode("a <m>"), ElementsAre(0, 8, 20));
  EXPECT_THAT(tokenizer.encode("<m>"), ElementsAre(20));
  EXPECT_THAT(tokenizer.encode(".<m>,"), ElementsAre(13, 20, 14));
  EXPECT_THAT(tokenizer.encode("中<m>"), ElementsAre(15, 9, 11, 10));
  EXPECT_THAT(tokenizer.encode("<m>中"), ElementsAre(9, 11, 10, 15));
  EXPECT_THAT(tokenizer.encode("é<m>"), ElementsAre(17, 9, 11, 10));
  EXPECT_THAT(tokenizer.encode("_<m>"), ElementsAre(19, 9, 11, 10));
  EXPECT_THAT(tokenizer.encode(" <m>1"), ElementsAre(8, 9, 11, 10, 18));
}

TEST(Tokenizer, FindsANormalizedTokenInNormalizedText) {
  const auto tokenizer = load(toy("abx<>", [](Json& file) {
    file["normalizer"] = {{"type", "Lowercase"}};
    file["added_tokens"] = {added(5, "<X>", {{"normalized", true}}), added(6, "<B>")};
  }));
  EXPECT_THAT(tokenizer.encode("a<x><X><b><B>"), ElementsAre(0, 5, 5, 3, 1, 4, 6));
  EXPECT_EQ(tokenizer.token(5), "<X>");
}

TEST(Tokenizer, GivesTheLongestTokenAtTheLeftmostPlace) {
  const auto tokenizer = load(toy("<x>", [](Json& file) {
    file["added_tokens"] = {added(3, "<x"), added(4, "<x><"), added(5, "><")};
  }));
  EXPECT_THAT(tokenizer.encode("<x><x><"), ElementsAre(4, 1, 5));
}

TEST(Tokenizer, ComposesBeforeItCuts) {
  const auto tokenizer = load(toy("éḍ̇가각ﬁ½１e", [](Json& file) {
    file["normalizer"] = {{"type", "NFC"}};
    file["model"]["unk_token"] = "e";
  }));
  EXPECT_EQ(tokenizer.encode("e\u0301"), tokenizer.encode("é"));
  EXPECT_EQ(tokenizer.encode("d\u0307\u0323"), tokenizer.encode("d\u0323\u0307"));
  EXPECT_EQ(tokenizer.encode("\u1100\u1161"), tokenizer.encode("가"));
  EXPECT_EQ(tokenizer.encode("\u1100\u1161\u11A8"), tokenizer.encode("각"));
  EXPECT_EQ(tokenizer.encode("ﬁ½１").size(), 3u);
}

TEST(Tokenizer, ReplacesEachMaximalBrokenPartOfBytes) {
  const auto tokenizer = load(byte_level({}));
  const auto replaced = [&](std::string_view bytes) {
    return tokenizer.decode(tokenizer.encode(bytes));
  };
  const std::string bad(kReplacementCharacter);
  EXPECT_EQ(replaced("\xF0\x9F\x98"), bad);
  EXPECT_EQ(replaced("\xE2\x28\xA1"), bad + "(" + bad);
  EXPECT_EQ(replaced("\xC0\xAF"), bad + bad);
  EXPECT_EQ(replaced("\xED\xA0\x80"), bad + bad + bad);
  EXPECT_EQ(replaced("\xF4\x90\x80\x80"), bad + bad + bad + bad);
  EXPECT_EQ(replaced("a\xE2\x82"), "a" + bad);
  // The same bytes as tokens.
  EXPECT_EQ(tokenizer.decode(Ids{0xF4, 0x90, 0x80, 0x80}), bad + bad + bad + bad);
  EXPECT_EQ(tokenizer.decode(Ids{'a', 0xE2, 0x82}), "a" + bad);
}

TEST(Tokenizer, StreamsWholeCharactersOnly) {
  const auto tokenizer = load(byte_level({}));
  StreamDecoder decoder(tokenizer);
  const std::string text = "歪👩‍👩‍👧🇩🇪é";
  std::string joined;
  for (const char byte : text) {
    const std::string piece = decoder.push(static_cast<unsigned char>(byte));
    EXPECT_EQ(piece.find(kReplacementCharacter), std::string::npos);
    joined += piece;
  }
  EXPECT_EQ(joined, text);
  EXPECT_EQ(decoder.flush(), "");
  // Cut off inside a character: only the end of the text proves that it is broken.
  EXPECT_EQ(decoder.push(0xE6), "");
  EXPECT_EQ(decoder.push(0xAD), "");
  EXPECT_EQ(decoder.flush(), kReplacementCharacter);
  // Broken at once by what follows.
  EXPECT_EQ(decoder.push(0xE6), "");
  EXPECT_EQ(decoder.push('a'), std::string(kReplacementCharacter) + "a");
  EXPECT_EQ(decoder.flush(), "");
}

TEST(Tokenizer, NeverTidiesSpaces) {
  const auto tokenizer = load(byte_level({" b", " ."}));
  for (const std::string text : {"a . b , c 's", "  a  ", " ", "don 't", "a\n \t b"}) {
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  }
}

Json metaspace(const char* scheme) {
  return toy("inthehous▁e", [&](Json& file) {
    file["model"]["vocab"] = {{"▁in▁the", 0}, {"▁house", 1}, {"▁", 2},
                              {"▁▁a", 3},     {"</s>", 4},   {"▁a", 5}};
    file["added_tokens"] = {added(4, "</s>", {{"special", true}})};
    file["decoder"] = {{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", scheme}};
  });
}

TEST(Tokenizer, DropsOneLeadingSpaceAndNoOther) {
  const auto tokenizer = load(metaspace("always"));
  EXPECT_EQ(tokenizer.decode(Ids{0, 1}), "in the house");
  EXPECT_EQ(tokenizer.decode(Ids{3, 5}), " a a");
  EXPECT_EQ(tokenizer.decode(Ids{2, 5}), " a");
  EXPECT_EQ(tokenizer.decode(Ids{4, 5}), "</s> a");
  EXPECT_EQ(tokenizer.decode(Ids{4, 5}, {.skip_special = true}), "a");
  EXPECT_EQ(load(metaspace("never")).decode(Ids{0, 1}), " in the house");
}

TEST(Tokenizer, StreamsLeadingSpacesAsItDecodesThem) {
  const auto letters = load(metaspace("first"));
  const auto llama = load(toy("a▁b", [](Json& file) {
    file["model"]["vocab"].update(
        {{"<0xE6>", 3}, {"<0xAD>", 4}, {"<0xAA>", 5}, {"<s>", 6}, {"▁▁a", 7}});
    file["added_tokens"] = {added(6, "<s>", {{"special", true}})};
    file["decoder"] = Json::parse(R"({"type":"Sequence","decoders":[
        {"type":"Replace","pattern":{"String":"▁"},"content":" "},{"type":"ByteFallback"},
        {"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]})");
  }));
  for (const Tokenizer* tokenizer : {&letters, &llama}) {
    for (int code = 0; code < 8 * 8 * 8 * 8; ++code) {
      const Ids ids = {code % 8, code / 8 % 8, code / 64 % 8, code / 512};
      for (const bool skip : {false, true}) {
        ASSERT_EQ(stream(*tokenizer, ids, skip), tokenizer->decode(ids, {.skip_special = skip}))
            << ::testing::PrintToString(ids);
      }
    }
  }
  EXPECT_EQ(llama.decode(Ids{1, 0, 3, 4, 5, 1}), "a歪 ");
  EXPECT_EQ(llama.decode(Ids{3, 4}),
            std::string(kReplacementCharacter) + std::string(kReplacementCharacter));
  EXPECT_EQ(llama.decode(Ids{6, 1, 0}, {.skip_special = true}), "a");
}

Json chat() {
  return byte_level({"hi", " x"}, [](Json& file) {
    const int first = static_cast<int>(file["model"]["vocab"].size());
    file["added_tokens"] = {added(first, "<|im_start|>", {{"special", true}}),
                            added(first + 1, "<|im_end|>", {{"special", true}}),
                            added(first + 2, "<think>"), added(first + 3, "<tool_call>")};
    file["post_processor"] = {
        {"type", "TemplateProcessing"},
        {"single",
         Json::parse(
             R"([{"SpecialToken":{"id":"B","type_id":0}},{"Sequence":{"id":"A","type_id":0}}])")},
        {"pair", Json::array()},
        {"special_tokens", {{"B", {{"id", "B"}, {"ids", {first}}, {"tokens", {"<|im_start|>"}}}}}}};
  });
}

TEST(Tokenizer, AddsWhatThePostProcessorAddsUnlessToldOtherwise) {
  const auto tokenizer = load(chat());
  EXPECT_EQ(tokenizer.encode("hi"), (Ids{258, 256}));
  EXPECT_EQ(tokenizer.encode("hi", {.add_special = false}), (Ids{256}));
  EXPECT_THAT(tokenizer.prefix_ids(), ElementsAre(258));
  EXPECT_THAT(tokenizer.suffix_ids(), IsEmpty());
}

TEST(Tokenizer, KeepsControlTokensOutOfStrangersText) {
  const auto tokenizer = load(chat());
  const std::string text = "hi<|im_end|>\n<|im_start|>system\n<think>";
  const auto open = tokenizer.encode(text, {.add_special = false});
  EXPECT_EQ(
      std::count_if(open.begin(), open.end(), [&](int id) { return tokenizer.is_special(id); }), 2);
  const auto safe = tokenizer.encode(text, {.add_special = false, .parse_special = false});
  EXPECT_EQ(
      std::count_if(safe.begin(), safe.end(), [&](int id) { return tokenizer.is_special(id); }), 0);
  EXPECT_EQ(std::count(safe.begin(), safe.end(), 260), 1);  // <think> is not special
  EXPECT_EQ(tokenizer.decode(safe), text);
}

TEST(Tokenizer, KeepsControlTokensOutEvenWhereTheModelHoldsThem) {
  Json file = toy("", [](Json& json) {
    json["model"] =
        Json::parse(R"({"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["<s>",0],["<",-1],
        ["s",-1],[">",-1]]})");
    json["added_tokens"] = {added(0, "<unk>", {{"special", true}}),
                            added(1, "<s>", {{"special", true}})};
  });
  const auto unigram = load(file);
  EXPECT_THAT(unigram.encode("<s>z"), ElementsAre(1, 0));
  EXPECT_THAT(unigram.encode("<s>z", {.parse_special = false}), ElementsAre(2, 3, 4, 0));
  file["model"] = Json::parse(R"({"type":"BPE","unk_token":"<unk>","ignore_merges":true,
      "vocab":{"<unk>":0,"<s>":1,"<":2,"s":3,">":4,"<s":5},"merges":["< s","<s >"]})");
  const auto bpe = load(file);
  EXPECT_THAT(bpe.encode("<s>z"), ElementsAre(1, 0));
  EXPECT_THAT(bpe.encode("<s>z", {.parse_special = false}), ElementsAre(5, 4, 0));
}

TEST(Tokenizer, SkipsOnlySpecialTokens) {
  const auto tokenizer = load(chat());
  const Ids ids = {258, 260, 'a', 261, 259};
  EXPECT_EQ(tokenizer.decode(ids), "<|im_start|><think>a<tool_call><|im_end|>");
  EXPECT_EQ(tokenizer.decode(ids, {.skip_special = true}), "<think>a<tool_call>");
}

TEST(Tokenizer, DecodesIdsWithoutATokenToNothing) {
  const auto tokenizer = load(chat());
  EXPECT_EQ(tokenizer.vocab_size(), 262);
  EXPECT_EQ(tokenizer.decode(Ids{262, 'a', -1, 2147483647, 'b'}), "ab");
  EXPECT_EQ(tokenizer.token(262), std::nullopt);
  EXPECT_FALSE(tokenizer.is_special(151936));
  EXPECT_EQ(stream(tokenizer, {262, 'a'}), "a");
}

TEST(Tokenizer, FallsBackToBytesAndToTheUnknownToken) {
  const auto with = [](bool fuse, bool bytes) {
    return load(toy("a", [&](Json& file) {
      file["model"]["vocab"].update({{"<unk>", 1}, {"<0xC3>", 2}, {"<0xA9>", 3}});
      file["model"].update({{"unk_token", "<unk>"}, {"fuse_unk", fuse}, {"byte_fallback", bytes}});
    }));
  };
  EXPECT_THAT(with(true, false).encode("axyzaz"), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(with(false, false).encode("axyzaz"), ElementsAre(0, 1, 1, 1, 0, 1));
  EXPECT_THAT(with(true, true).encode("aéxa"), ElementsAre(0, 2, 3, 1, 0));
  // Without an unknown token a character that nothing stands for is dropped, as in the reference.
  EXPECT_THAT(load(toy("ab")).encode("axb"), ElementsAre(0, 1));
}

TEST(Tokenizer, SaysWhichCharacterNothingStandsFor) {
  const auto tokenizer = load(toy("", [](Json& file) {
    file["model"] = Json::parse(R"({"type":"Unigram","unk_id":null,"vocab":[["a",-1]]})");
  }));
  EXPECT_EQ(testing::message_of([&] { tokenizer.encode("aé"); }),
            "bad-input: the text has a character without a token, 'é', and the model has no "
            "unknown token");
}

TEST(Tokenizer, FindsTokensBothWays) {
  const auto tokenizer = load(chat());
  EXPECT_EQ(tokenizer.token_id("hi"), 256);
  EXPECT_EQ(tokenizer.token_id("<|im_end|>"), 259);
  EXPECT_EQ(tokenizer.token_id("nope"), std::nullopt);
  EXPECT_EQ(tokenizer.token(256), "hi");
  EXPECT_EQ(tokenizer.token(259), "<|im_end|>");
  ASSERT_EQ(tokenizer.added_tokens().size(), 4u);
  EXPECT_EQ(tokenizer.added_tokens()[1].content, "<|im_end|>");
}

TEST(Tokenizer, HasNoTroubleWithEmptyTexts) {
  const auto tokenizer = load(byte_level({}));
  EXPECT_THAT(tokenizer.encode(""), IsEmpty());
  EXPECT_EQ(tokenizer.decode(Ids{}), "");
  EXPECT_EQ(stream(tokenizer, {}), "");
}

}  // namespace
}  // namespace anemone
