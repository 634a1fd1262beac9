#include "anemone/generate/generation.h"

#include <gtest/gtest.h>

#include "anemone/testing/message_of.h"
#include "anemone/testing/temp_dir.h"
#include "anemone/testing/toy_model.h"

namespace anemone::generate {
namespace {

using testing::message_of;
using testing::TempDir;
using testing::toy_predictors;
using testing::ToyOptions;

class Generate : public ::testing::Test {
 protected:
  void load(ToyOptions options = {.has_tokenizer = true}) {
    session_.reset();
    const Bundle bundle = write_toy_bundle(dir_.path(), options);
    runner_ = Runner::load(dir_.path(), {.open = toy_predictors(bundle)});
    session_ = std::make_unique<Session>(*runner_);
  }
  void SetUp() override { load(); }

  Generation run(GenerateOptions options, std::vector<int> prompt = {0, 1, 2}) {
    session_->reset();
    return generate(*session_, prompt, options);
  }

  TempDir dir_;
  std::unique_ptr<const Runner> runner_;
  std::unique_ptr<Session> session_;
};

GenerateOptions biased(int id, std::optional<std::int64_t> max_tokens = 5) {
  GenerateOptions options;
  options.sampling.logit_bias[id] = 1000.0f;
  options.max_tokens = max_tokens;
  return options;
}

TEST_F(Generate, StopsAtEveryIdThatEndsTheText) {
  for (const int id : {3, 5}) {
    const auto result = run(biased(id));
    EXPECT_EQ(result.reason, StopReason::kEos);
    EXPECT_EQ(result.eos_id, id);
    EXPECT_TRUE(result.ids.empty());
    EXPECT_EQ(finish_reason(result.reason), "stop");
  }
  EXPECT_EQ(run(biased(4)).reason, StopReason::kMaxTokens);
}

TEST_F(Generate, GoesOnIfToldToIgnoreThem) {
  GenerateOptions options = biased(3);
  options.ignore_eos = true;
  const auto result = run(options);
  EXPECT_EQ(result.ids, std::vector<int>(5, 3));
  EXPECT_EQ(result.reason, StopReason::kMaxTokens);
  EXPECT_FALSE(result.eos_id);
}

TEST_F(Generate, EndsWherePromptAndTextFillTheContext) {
  std::vector<int> prompt(60, 1);
  const auto result = run(biased(4, std::nullopt), prompt);
  EXPECT_EQ(result.ids.size(), 4u);
  EXPECT_EQ(result.reason, StopReason::kLength);
  EXPECT_EQ(finish_reason(result.reason), "length");
  EXPECT_EQ(result.decode_steps, 3);
  const auto full = run(biased(4, std::nullopt), std::vector<int>(64, 1));
  EXPECT_TRUE(full.ids.empty());
  EXPECT_EQ(full.reason, StopReason::kLength);
  EXPECT_EQ(message_of([&] { run(biased(4), std::vector<int>(65, 1)); }),
            "limit: the prompt has 65 tokens; the context holds 64");
}

TEST_F(Generate, ChoosesNothingIfNoTokensAreAskedFor) {
  const auto result = run(biased(4, 0));
  EXPECT_TRUE(result.ids.empty());
  EXPECT_EQ(result.reason, StopReason::kMaxTokens);
  EXPECT_EQ(result.prompt_tokens, 3);
  EXPECT_FALSE(result.first_token_seconds);
}

TEST_F(Generate, NeverChoosesAnIdWithoutAToken) {
  const auto result = run(biased(17));
  EXPECT_TRUE(!result.ids.empty() || result.eos_id);
  for (const int id : result.ids) EXPECT_LT(id, 16);
  // Without a tokenizer nothing is known of tokens, and ids are all there is.
  load({.has_tokenizer = false});
  EXPECT_EQ(run(biased(17)).ids, std::vector<int>(5, 17));
}

TEST_F(Generate, TellsOfEachIdAsItComes) {
  session_->reset();
  std::vector<int> told;
  const int prompt[] = {0, 1};
  const auto result =
      generate(*session_, prompt, biased(4, 3), [&](int id) { told.push_back(id); });
  EXPECT_EQ(told, result.ids);
  EXPECT_EQ(result.prompt_tokens, 2);
  ASSERT_TRUE(result.first_token_seconds);
  EXPECT_GE(*result.first_token_seconds, result.prefill_seconds);
}

TEST_F(Generate, StopsWhenInterrupted) {
  StopFlag stop;
  GenerateOptions options = biased(4, 50);
  options.stop = &stop;
  session_->reset();
  int count = 0;
  const int prompt[] = {0, 1};
  const auto result = generate(*session_, prompt, options, [&](int) {
    if (++count == 2) stop.set();
  });
  EXPECT_EQ(result.ids.size(), 2u);
  EXPECT_EQ(result.reason, StopReason::kInterrupted);
  const auto nothing = run(options);
  EXPECT_TRUE(nothing.ids.empty());
  EXPECT_EQ(nothing.reason, StopReason::kInterrupted);
}

TEST_F(Generate, ContinuesWhatTheSessionHolds) {
  GenerateOptions options;
  options.max_tokens = 6;
  options.ignore_eos = true;
  const auto whole = run(options, {0, 1, 2, 4, 6});
  session_->reset();
  session_->feed(std::vector<int>{0, 1, 2});
  const auto rest = generate(*session_, std::vector<int>{4, 6}, options);
  EXPECT_EQ(rest.ids, whole.ids);
}

TEST_F(Generate, TheSeedDecidesWhatIsSampled) {
  GenerateOptions options;
  options.sampling.temperature = 2;
  options.sampling.seed = 1;
  options.max_tokens = 30;
  options.ignore_eos = true;
  const auto one = run(options).ids;
  EXPECT_EQ(run(options).ids, one);
  options.sampling.seed = 2;
  EXPECT_NE(run(options).ids, one);
}

TEST_F(Generate, ListsTheIdsThatHaveNoToken) {
  EXPECT_EQ(ids_without_token(*runner_->tokenizer(), 20), (std::vector<int>{16, 17, 18, 19}));
}

// A tokenizer whose post-processor puts <eos>, as the beginning of a text, in front.
Tokenizer with_prefix() {
  Json json = Json::parse(testing::toy_tokenizer_json());
  const Json piece = {{"SpecialToken", {{"id", "<eos>"}, {"type_id", 0}}}};
  const Json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  const Json second = {{"Sequence", {{"id", "B"}, {"type_id", 1}}}};
  json["post_processor"] = {
      {"type", "TemplateProcessing"},
      {"single", {piece, text}},
      {"pair", {piece, text, second}},
      {"special_tokens", {{"<eos>", {{"id", "<eos>"}, {"ids", {3}}, {"tokens", {"<eos>"}}}}}}};
  return Tokenizer::from_json(json.dump(), "toy");
}

TEST(EncodePrompt, AddsWhatThePostProcessorAddsButNotTwice) {
  const Tokenizer tokenizer = with_prefix();
  EXPECT_EQ(encode_prompt(tokenizer, "ab"), (std::vector<int>{3, 0, 1}));
  EXPECT_EQ(encode_prompt(tokenizer, "<eos>ab"), (std::vector<int>{3, 0, 1}));
  EXPECT_EQ(encode_prompt(tokenizer, "a<eos>b"), (std::vector<int>{3, 0, 3, 1}));
  EXPECT_EQ(encode_prompt(tokenizer, ""), (std::vector<int>{3}));
}

}  // namespace
}  // namespace anemone::generate
