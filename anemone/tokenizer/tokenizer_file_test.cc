#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "anemone/base/json.h"
#include "anemone/testing/message_of.h"
#include "anemone/tokenizer/tokenizer.h"

// What is wrong with a file is said by file, place, thing found and thing allowed.
namespace anemone {
namespace {

std::string refusal(std::string_view text) {
  return testing::message_of([&] { Tokenizer::from_json(text, "t.json"); });
}

// A good file with one part exchanged.
std::string with(std::string_view key, std::string_view value) {
  Json file = Json::parse(R"({"version":"1.0","added_tokens":[],"model":{"type":"BPE",
      "vocab":{"a":0,"b":1,"ab":2},"merges":[["a","b"]]}})");
  file[Json::json_pointer("/" + std::string(key))] = Json::parse(value);
  return to_line(file);
}

TEST(TokenizerFile, IsAnObjectWithAModel) {
  EXPECT_EQ(refusal("[]"), "bad-input: t.json: must be an object");
  EXPECT_EQ(refusal("{}"), "bad-input: t.json: 'model' is missing");
  EXPECT_THAT(refusal("{\"a\""),
              ::testing::StartsWith("bad-input: t.json: is not JSON at line 1, column "));
  EXPECT_THAT(refusal(""), ::testing::StartsWith("bad-input: t.json: is not JSON at line 1"));
  EXPECT_EQ(refusal(R"({"a":1,"a":2})"),
            "bad-input: t.json: the key 'a' stands twice in one object");
  EXPECT_EQ(refusal(std::string(100, '[')), "bad-input: t.json: nested deeper than 64 levels");
  EXPECT_EQ(refusal(R"({"model":{"vocab":[["a",1e999]]}})"),
            "bad-input: t.json: number overflow parsing '1e999'");
}

TEST(TokenizerFile, RefusesPartsItDoesNotKnow) {
  EXPECT_EQ(refusal(with("foo", "1")),
            "unsupported: t.json: has a part 'foo', which anemone does not know");
  EXPECT_EQ(refusal(with("version", "\"2.0\"")),
            "unsupported: t.json: 'version' is \"2.0\"; anemone reads \"1.0\"");
  EXPECT_EQ(refusal(with("model/type", "\"Neural\"")),
            "unsupported: t.json: model is of the type 'Neural', which anemone does not know; it "
            "knows BPE, "
            "Unigram, WordPiece and WordLevel");
  EXPECT_THAT(refusal(with("normalizer",
                           R"({"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Foo"}]})")),
              ::testing::StartsWith(
                  "unsupported: t.json: normalizer.normalizers[1] is of the type 'Foo', which "
                  "anemone does not know; it knows BertNormalizer, "));
  EXPECT_THAT(
      refusal(with("pre_tokenizer", R"({"type":"UnicodeScripts"})")),
      ::testing::StartsWith("unsupported: t.json: pre_tokenizer is of the type 'UnicodeScripts'"));
  EXPECT_THAT(refusal(with("decoder", R"({"type":"CTC"})")),
              ::testing::StartsWith("unsupported: t.json: decoder is of the type 'CTC'"));
  EXPECT_THAT(refusal(with("post_processor", R"({"type":"Foo"})")),
              ::testing::StartsWith("unsupported: t.json: post_processor is of the type 'Foo'"));
  EXPECT_EQ(refusal(with("decoder", "{}")), "bad-input: t.json: decoder: 'type' is missing");
  EXPECT_EQ(refusal(with("decoder", "3")), "bad-input: t.json: decoder: must be an object");
}

TEST(TokenizerFile, RefusesABrokenVocabulary) {
  EXPECT_EQ(refusal(with("model/vocab", R"({"a":-1})")),
            "bad-input: t.json: model.vocab: the token 'a' has the id -1; allowed are whole "
            "numbers from 0 to "
            "1073741823");
  EXPECT_EQ(refusal(with("model/vocab", R"({"a":4294967295})")),
            "bad-input: t.json: model.vocab: the token 'a' has the id 4294967295; allowed are "
            "whole numbers from 0 "
            "to 1073741823");
  EXPECT_EQ(refusal(with("model/vocab", R"({"a":0.5})")),
            "bad-input: t.json: model.vocab: the token 'a' has the id 0.5; allowed are whole "
            "numbers from 0 to "
            "1073741823");
  EXPECT_EQ(refusal(with("model/vocab", R"({"a":[]})")),
            "bad-input: t.json: model.vocab: the token 'a' has no number for an id; allowed are "
            "whole numbers from "
            "0 to 1073741823");
  EXPECT_EQ(refusal(R"({"model":{"vocab":{"a":0,"a":1},"merges":[]}})"),
            "bad-input: t.json: model.vocab: the token 'a' stands twice");
  EXPECT_EQ(refusal(R"({"model":{"type":"BPE","merges":[]}})"),
            "bad-input: t.json: model (BPE): 'vocab' is missing");
  EXPECT_EQ(refusal(R"({"model":{"type":"BPE","vocab":{"a":0}}})"),
            "bad-input: t.json: model (BPE): 'merges' is missing");
  EXPECT_EQ(refusal(R"({"model":{"type":"Unigram","vocab":[["a"]]}})"),
            "bad-input: t.json: model.vocab: entry 0 must be a text and a number");
  EXPECT_EQ(
      refusal(R"({"model":{"type":"Unigram","unk_id":1,"vocab":[["a",0]]}})"),
      "bad-input: t.json: model (Unigram): 'unk_id' is 1; it must be a whole number from 0 to 0");
}

TEST(TokenizerFile, RefusesBrokenMerges) {
  EXPECT_EQ(
      refusal(with("model/merges", R"([["a","z"]])")),
      "bad-input: t.json: model (BPE): merge 0 is 'a' and 'z', but 'z' is not in the vocabulary");
  EXPECT_EQ(
      refusal(with("model/merges", R"(["b a"])")),
      "bad-input: t.json: model (BPE): merge 0 is 'b' and 'a', but 'ba' is not in the vocabulary");
  EXPECT_EQ(
      refusal(with("model/merges", R"(["a b c"])")),
      "bad-input: t.json: model.merges: entry 0 must be two texts, or one text with one space");
  EXPECT_EQ(
      refusal(with("model/merges", R"([["a","b","c"]])")),
      "bad-input: t.json: model.merges: entry 0 must be two texts, or one text with one space");
  EXPECT_EQ(
      refusal(with("model/merges", R"([{"a":"b"}])")),
      "bad-input: t.json: model.merges: entry 0 must be two texts, or one text with one space");
  EXPECT_EQ(
      refusal(with("model/merges", R"([["a",3]])")),
      "bad-input: t.json: model.merges: entry 0 must be two texts, or one text with one space");
}

TEST(TokenizerFile, RefusesBrokenParts) {
  EXPECT_EQ(refusal(with("model/dropout", "0.1")),
            "bad-input: t.json: model (BPE): 'dropout' is 0.1: such a tokenizer gives other ids "
            "each time; allowed "
            "are null and 0");
  EXPECT_EQ(refusal(with("pre_tokenizer",
                         R"({"type":"Split","pattern":{"Regex":"("},"behavior":"Isolated"})")),
            "bad-input: t.json: pre_tokenizer (Split): the pattern '(' has a '(' without a ')'");
  EXPECT_EQ(
      refusal(with("pre_tokenizer", R"({"type":"Split","pattern":"a","behavior":"Isolated"})")),
      "bad-input: t.json: pre_tokenizer (Split): 'pattern' must be {\"String\": text} or "
      "{\"Regex\": text}");
  EXPECT_EQ(refusal(with("pre_tokenizer",
                         R"({"type":"Split","pattern":{"String":"a"},"behavior":"Odd"})")),
            "bad-input: t.json: pre_tokenizer (Split): 'behavior' is 'Odd'; allowed are Removed, "
            "Isolated, "
            "MergedWithPrevious, MergedWithNext and Contiguous");
  EXPECT_EQ(refusal(with("pre_tokenizer", R"({"type":"Metaspace","replacement":"__"})")),
            "bad-input: t.json: pre_tokenizer (Metaspace): 'replacement' is '__'; it must be one "
            "character");
  EXPECT_EQ(refusal(with("added_tokens", R"([{"content":"x"}])")),
            "bad-input: t.json: added_tokens[0]: 'id' is missing");
  EXPECT_EQ(refusal(with("added_tokens", R"([{"id":3,"content":"x","lstrip":1}])")),
            "bad-input: t.json: added_tokens[0]: 'lstrip' must be true or false");
  EXPECT_EQ(refusal(with("post_processor", R"({"type":"TemplateProcessing","special_tokens":{},
                "single":[{"SpecialToken":{"id":"q","type_id":0}}]})")),
            "bad-input: t.json: post_processor (TemplateProcessing): 'single' names 'q', which has "
            "no ids in "
            "'special_tokens'");
  EXPECT_EQ(refusal(with("post_processor",
                         R"({"type":"TemplateProcessing","special_tokens":{},"single":[]})")),
            "bad-input: t.json: post_processor (TemplateProcessing): 'single' lacks the sequence "
            "A: the text itself "
            "would be lost");
  EXPECT_EQ(refusal(with("normalizer", R"({"type":"Precompiled","precompiled_charsmap":"@@@@"})")),
            "bad-input: t.json: normalizer (Precompiled): 'precompiled_charsmap' is not base64");
  EXPECT_EQ(refusal(with("normalizer",
                         R"({"type":"Precompiled","precompiled_charsmap":"/////wAAAAA="})")),
            "bad-input: t.json: normalizer (Precompiled): 'precompiled_charsmap' has 8 bytes, and "
            "a trie of "
            "4294967295 in them; it must be a multiple of 4 and fit");
}

TEST(TokenizerFile, NeedsNoTypeInOldFiles) {
  EXPECT_EQ(
      Tokenizer::from_json(R"({"model":{"vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}})", "t")
          .encode("ab"),
      std::vector<int>{2});
  EXPECT_EQ(Tokenizer::from_json(R"({"model":{"vocab":[["a",-1],["b",-1],["ab",-1]]}})", "t")
                .encode("ab"),
            std::vector<int>{2});
}

// Ids with wide gaps must not cost memory for what is not there.
TEST(TokenizerFile, AllowsHolesBetweenIds) {
  const auto tokenizer = Tokenizer::from_json(
      R"({"model":{"type":"BPE","vocab":{"a":5,"b":1000000000},"merges":[]}})", "t");
  EXPECT_EQ(tokenizer.encode("ab"), (std::vector<int>{5, 1000000000}));
  EXPECT_EQ(tokenizer.decode(std::vector<int>{1000000000, 6, 5}), "b a");
  EXPECT_EQ(tokenizer.vocab_size(), 1000000001);
}

}  // namespace
}  // namespace anemone
