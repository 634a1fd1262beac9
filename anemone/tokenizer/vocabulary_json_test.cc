#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "anemone/base/json.h"
#include "anemone/testing/message_of.h"
#include "anemone/tokenizer/byte_level.h"
#include "anemone/tokenizer/known_pre_tokenizers.h"
#include "anemone/tokenizer/tokenizer.h"

namespace anemone {
namespace {

using ::testing::ElementsAre;

// 256 bytes, "he", "ll", "<|s|>" (control), "<think>" (user defined).
Vocabulary gpt2(std::string pre) {
  Vocabulary vocabulary;
  vocabulary.model = "gpt2";
  vocabulary.pre = std::move(pre);
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary.tokens.emplace_back(byte_to_letter(static_cast<unsigned char>(byte)));
  }
  for (const char* token : {"he", "ll", "<|s|>", "<think>"}) vocabulary.tokens.emplace_back(token);
  vocabulary.token_types.assign(vocabulary.tokens.size(), 1);
  vocabulary.token_types[258] = 3;
  vocabulary.token_types[259] = 4;
  vocabulary.merges = {"h e", "l l"};
  vocabulary.bos_token_id = vocabulary.eos_token_id = 258;
  return vocabulary;
}

Tokenizer load(const Vocabulary& vocabulary, std::string_view pre_override = "") {
  return Tokenizer::from_json(tokenizer_json_from_vocabulary(vocabulary, "a.gguf", pre_override),
                              "a.gguf");
}

TEST(VocabularyJson, SpeaksForAByteLevelVocabulary) {
  const auto tokenizer = load(gpt2("smollm"));
  EXPECT_THAT(tokenizer.encode("hell<|s|><think>"), ElementsAre(256, 257, 258, 259));
  EXPECT_EQ(tokenizer.decode(std::vector<int>{258, 256, 259}, {.skip_special = true}), "he<think>");
  EXPECT_EQ(tokenizer.vocab_size(), 260);
  EXPECT_TRUE(tokenizer.is_special(258));
  EXPECT_FALSE(tokenizer.is_special(259));
}

TEST(VocabularyJson, AddsBosWhenTheFileOrTheFamilySaysSo) {
  EXPECT_THAT(load(gpt2("llama-bpe")).encode("he"), ElementsAre(258, 256));
  auto vocabulary = gpt2("llama-bpe");
  vocabulary.add_bos_token = false;
  EXPECT_THAT(load(vocabulary).encode("he"), ElementsAre(256));
  vocabulary = gpt2("qwen2");
  EXPECT_THAT(load(vocabulary).encode("he"), ElementsAre(256));
  vocabulary.add_bos_token = vocabulary.add_eos_token = true;
  EXPECT_THAT(load(vocabulary).encode("he"), ElementsAre(258, 256, 258));
  vocabulary.bos_token_id.reset();
  EXPECT_EQ(testing::message_of([&] { load(vocabulary); }),
            "bad-input: a.gguf: is to begin or end every text with bos_token_id, which is missing");
}

TEST(VocabularyJson, RefusesAnUnknownPreTokenizerUnlessAnotherIsNamed) {
  const auto refusal = [](std::string pre, std::string_view pre_override = "") {
    return testing::message_of([&] { load(gpt2(std::move(pre)), pre_override); });
  };
  EXPECT_EQ(refusal("my-new"),
            "unsupported: a.gguf: tokenizer.ggml.pre is 'my-new', a pre-tokenizer that anemone "
            "does not know; if it "
            "cuts words as one of these does, name that one: " +
                known_pre_tokenizer_names());
  EXPECT_EQ(
      refusal(""),
      "unsupported: a.gguf: tokenizer.ggml.pre is missing, and how this vocabulary cuts words is "
      "not to be guessed; name one of " +
          known_pre_tokenizer_names());
  EXPECT_THAT(refusal("qwen2", "mine"),
              ::testing::StartsWith("unsupported: a.gguf: tokenizer.ggml.pre is 'mine'"));
  EXPECT_EQ(refusal("my-new", "qwen2"), "");
  EXPECT_EQ(refusal("", "gpt-2"), "");
}

TEST(VocabularyJson, HasAWorkingPatternForEveryNameItKnows) {
  const std::string text = "Hello, it's 12345 x's — 中文 עברית \n\n  e\u0301! ";
  const std::string names = known_pre_tokenizer_names();
  int count = 0;
  for (std::size_t at = 0; at < names.size(); ++count) {
    auto end = names.find_first_of(", ", at);
    if (end == std::string::npos) end = names.size();
    const std::string name = names.substr(at, end - at);
    at = names.find_first_not_of(", ", end);
    if (name == "and") continue;
    auto vocabulary = gpt2(name);
    vocabulary.add_bos_token = false;
    const auto tokenizer = load(vocabulary);
    const auto back = tokenizer.decode(tokenizer.encode(text));
    const bool composed = find_known_pre_tokenizer(name)->nfc;
    EXPECT_EQ(back, composed ? "Hello, it's 12345 x's — 中文 עברית \n\n  é! " : text) << name;
  }
  EXPECT_GT(count, 40);
}

// How each family cuts digits and words shows in the file itself.
TEST(VocabularyJson, WritesTheFamilysOwnPipeline) {
  const auto file = Json::parse(tokenizer_json_from_vocabulary(gpt2("smollm"), "a.gguf"));
  EXPECT_EQ(
      to_line(file["pre_tokenizer"]["pretokenizers"]),
      R"([{"individual_digits":true,"type":"Digits"},{"add_prefix_space":false,"trim_offsets":true,"type":)"
      R"("ByteLevel","use_regex":true}])");
  EXPECT_TRUE(file["normalizer"].is_null());
  EXPECT_EQ(
      Json::parse(tokenizer_json_from_vocabulary(gpt2("qwen2"), "a.gguf"))["normalizer"]["type"],
      "NFC");
  EXPECT_EQ(Json::parse(tokenizer_json_from_vocabulary(gpt2("llama-bpe"),
                                                       "a.gguf"))["model"]["ignore_merges"],
            true);
  EXPECT_EQ(Json::parse(tokenizer_json_from_vocabulary(gpt2("falcon"),
                                                       "a.gguf"))["pre_tokenizer"]["pretokenizers"]
                .size(),
            4u);
}

Vocabulary llama() {
  Vocabulary vocabulary;
  vocabulary.model = "llama";
  vocabulary.pre = "default";
  vocabulary.tokens = {"<unk>", "<s>", "</s>"};
  vocabulary.token_types = {2, 3, 3};
  for (int byte = 0; byte < 256; ++byte) {
    char text[8];
    std::snprintf(text, sizeof text, "<0x%02X>", byte);
    vocabulary.tokens.emplace_back(text);
    vocabulary.token_types.push_back(6);
  }
  for (const char* piece : {"▁h", "el", "▁hel", "lo", "▁hello", "▁", "h", "e", "l", "o", "<tag>"}) {
    vocabulary.tokens.emplace_back(piece);
    vocabulary.token_types.push_back(1);
  }
  vocabulary.token_types.back() = 4;
  for (std::size_t i = 0; i < vocabulary.tokens.size(); ++i)
    vocabulary.scores.push_back(-static_cast<float>(i));
  vocabulary.bos_token_id = 1;
  vocabulary.eos_token_id = 2;
  vocabulary.unknown_token_id = 0;
  return vocabulary;
}

TEST(VocabularyJson, SpeaksForASentencePieceVocabulary) {
  const auto tokenizer = load(llama());
  EXPECT_THAT(tokenizer.encode("hello"), ElementsAre(1, 263));
  EXPECT_THAT(tokenizer.encode("hel", {.add_special = false}), ElementsAre(261));
  EXPECT_THAT(tokenizer.encode("é", {.add_special = false}), ElementsAre(264, 3 + 0xC3, 3 + 0xA9));
  EXPECT_THAT(tokenizer.encode("<tag>", {.add_special = false}), ElementsAre(269));
  for (const std::string text : {"hello hello", " hello", "  é\n歪", "hello</s>"}) {
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text), {.skip_special = true}),
              text == "hello</s>" ? "hello" : text);
  }
  auto vocabulary = llama();
  vocabulary.add_space_prefix = false;
  vocabulary.add_bos_token = false;
  EXPECT_THAT(load(vocabulary).encode("hello"), ElementsAre(265, 260, 262));
}

TEST(VocabularyJson, RefusesWhatContradictsItself) {
  const auto refusal = [](const std::function<void(Vocabulary&)>& change) {
    auto vocabulary = llama();
    change(vocabulary);
    return testing::message_of([&] { load(vocabulary); });
  };
  EXPECT_EQ(
      refusal([](Vocabulary& v) { v.model = "bert"; }),
      "unsupported: a.gguf: tokenizer.ggml.model is 'bert'; anemone knows gpt2, llama and gemma4");
  EXPECT_EQ(refusal([](Vocabulary& v) { v.tokens.clear(); }),
            "bad-input: a.gguf: tokenizer.ggml.tokens is empty");
  EXPECT_EQ(refusal([](Vocabulary& v) { v.scores.pop_back(); }),
            "bad-input: a.gguf: tokenizer.ggml.scores has 269 entries for 270 tokens");
  EXPECT_EQ(refusal([](Vocabulary& v) { v.scores.clear(); }),
            "bad-input: a.gguf: tokenizer.ggml.scores is missing");
  EXPECT_EQ(refusal([](Vocabulary& v) { v.token_types.resize(3); }),
            "bad-input: a.gguf: tokenizer.ggml.token_type has 3 entries for 270 tokens");
  EXPECT_EQ(refusal([](Vocabulary& v) { v.tokens[269] = "h"; }),
            "bad-input: a.gguf: the token 'h' stands twice, at 265 and 269");
  EXPECT_EQ(refusal([](Vocabulary& v) { v.tokens[269] = "\xFF"; }),
            "bad-input: a.gguf: token 269 is not UTF-8");
  EXPECT_EQ(refusal([](Vocabulary& v) { v.bos_token_id = 270; }),
            "bad-input: a.gguf: bos_token_id is 270; the vocabulary has 270 tokens");
  EXPECT_EQ(refusal([](Vocabulary& v) { v.remove_extra_whitespaces = true; }),
            "unsupported: a.gguf: tokenizer.ggml.remove_extra_whitespaces is true; anemone keeps "
            "white space as it "
            "is");
  EXPECT_EQ(refusal([](Vocabulary& v) {
              v = gpt2("gpt-2");
              v.merges = {"he"};
            }),
            "bad-input: a.gguf: tokenizer.ggml.merges: entry 0 is 'he'; it must be two texts with "
            "a space between "
            "them");
  EXPECT_EQ(refusal([](Vocabulary& v) {
              v = gpt2("gpt-2");
              v.merges.clear();
            }),
            "bad-input: a.gguf: tokenizer.ggml.merges is empty");
}

TEST(VocabularyJson, LeavesRowsOutThatNoTokenStandsFor) {
  auto vocabulary = gpt2("qwen2");
  for (const char* text : {"[PAD260]", "[PAD1]"}) {
    vocabulary.tokens.emplace_back(text);
    vocabulary.token_types.push_back(5);
  }
  const auto tokenizer = load(vocabulary);
  EXPECT_EQ(tokenizer.token(260), std::nullopt);
  EXPECT_EQ(tokenizer.decode(std::vector<int>{260, 256}), "he");
  EXPECT_EQ(tokenizer.token(261), "[PAD1]");  // of that name, but not of that place
}

TEST(VocabularyJson, DropsNoPreTokenizerSilently) {
  EXPECT_EQ(testing::message_of([] { load(llama(), "qwen2"); }),
            "unsupported: a.gguf: the pre-tokenizer 'qwen2' is named, but a vocabulary of the "
            "model 'llama' is used "
            "without one");
}

TEST(VocabularyJson, NamesAnEmptyTokenByItsPlace) {
  auto vocabulary = gpt2("gpt-2");
  vocabulary.tokens[259] = "";
  EXPECT_EQ(load(vocabulary).token(259), "[EMPTY_259]");
}

}  // namespace
}  // namespace anemone
