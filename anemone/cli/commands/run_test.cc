#include <gtest/gtest.h>

#include "anemone/base/files.h"
#include "anemone/base/json.h"
#include "anemone/cli/testing.h"
#include "anemone/cli/tiny_bundle.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::cli {
namespace {

namespace fs = std::filesystem;
using testing::TempDir;

constexpr char kPrompt[] =
    "<|im_start|>user\nThou shalt not take the bread which thy neighbour hath given unto "
    "thee.<|im_end|>\n<|im_start|>assistant\n";
constexpr char kAnswer[] = "You shall not take the bread which your neighbor has given to you.";

Outcome run(std::vector<std::string> options, const std::string& bundle = tiny_bundle(),
            StopFlag* stop = nullptr) {
  options.insert(options.begin(), bundle);
  return run_command("run", options, "", stop);
}
Json run_json(std::vector<std::string> options, const std::string& bundle = tiny_bundle()) {
  options.push_back("--json");
  const auto outcome = run(options, bundle);
  EXPECT_EQ(outcome.err, "");
  return Json::parse(outcome.out);
}

TEST(Run, PrintsTheText) {
  const auto outcome = run({"--prompt", kPrompt});
  EXPECT_EQ(outcome.out, std::string(kAnswer) + "\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.status, 0);
}

TEST(Run, GivesOneObjectAsJson) {
  const Json json = run_json({"--prompt", kPrompt});
  EXPECT_EQ(json.at("text"), kAnswer);
  EXPECT_EQ(json.at("finish_reason"), "stop");
  EXPECT_EQ(json.at("eos_id"), 4093);
  EXPECT_EQ(json.at("generated_tokens"), json.at("ids").size());
  for (const char* key : {"prefill_tokens_per_second", "decode_tokens_per_second",
                          "first_token_seconds", "load_seconds", "peak_bytes"}) {
    EXPECT_GT(json.at(key).get<double>(), 0) << key;
  }
}

TEST(Run, PrintsStatsAsWordsOnTheErrorStream) {
  const auto outcome = run({"--prompt", kPrompt, "--stats"});
  EXPECT_EQ(outcome.out, std::string(kAnswer) + "\n");
  for (const char* word : {"load  ", "first token  ", "prefill  ", "decode  ", "peak memory  "}) {
    EXPECT_NE(outcome.err.find(word), std::string::npos) << word;
  }
}

TEST(Run, GivesTheSameTextWhateverTheFormAndThePath) {
  const TempDir dir;
  const std::vector<std::vector<std::string>> forms = {
      {"--parts", "1"},
      {"--parts", "6", "--head-tiles", "4"},
      {"--single"},
      {"--layout", "bsc"},
      {"--layout", "bsc", "--single", "--kv", "blend"},
      {"--kv", "blend"},
      {"--kv", "host"},
      {"--kv", "host", "--single"},
      {"--prefill", "24"},
  };
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const std::string bundle = (dir / std::to_string(i)).string();
    auto form = forms[i];
    form.insert(form.end(), {"--context", "64"});
    convert_tiny(bundle, form);
    for (const char* path : {"auto", "decode"}) {
      EXPECT_EQ(run({"--prompt", kPrompt, "--path", path}, bundle).out, std::string(kAnswer) + "\n")
          << i << path;
    }
    EXPECT_EQ(run({"--prompt", kPrompt, "--arithmetic=float32"}, bundle).out,
              std::string(kAnswer) + "\n");
  }
}

TEST(Run, GivesTheSameBitsForAnyNumberOfParts) {
  const TempDir dir;
  std::string expected;
  for (const char* parts : {"1", "2", "3", "6"}) {
    const std::string bundle = (dir / parts).string();
    convert_tiny(bundle, {"--context", "64", "--parts", parts});
    const std::string file = (dir / "l.npy").string();
    EXPECT_EQ(run_command("logits", {bundle, "--text", kPrompt, "-o", file}).err, "");
    const std::string bytes = read_text(file);
    if (expected.empty()) expected = bytes;
    EXPECT_EQ(bytes == expected, true) << parts;
  }
}

TEST(Run, StartsFromIds) {
  const auto ids = run_command("tokenize", {tiny_bundle(), "--text", kPrompt}).out;
  const TempDir dir;
  write_file(dir / "ids", ids);
  EXPECT_EQ(run({"--tokens", (dir / "ids").string()}).out, std::string(kAnswer) + "\n");
  EXPECT_EQ(run_command("run", {tiny_bundle(), "--tokens=-"}, ids).out,
            std::string(kAnswer) + "\n");
}

TEST(Run, StopsAtEveryIdThatEndsAText) {
  for (const int id : {4091, 4093}) {
    const Json json = run_json({"--prompt", kPrompt, "--logit-bias", std::to_string(id) + "=1000"});
    EXPECT_EQ(json.at("text"), "");
    EXPECT_EQ(json.at("ids"), Json::array());
    EXPECT_EQ(json.at("finish_reason"), "stop");
    EXPECT_EQ(json.at("eos_id"), id);
  }
}

TEST(Run, GoesOnToTheContextsEndIfToldTo) {
  const Json json = run_json({"--prompt", kPrompt, "--ignore-eos"});
  EXPECT_EQ(json.at("finish_reason"), "length");
  EXPECT_EQ(json.at("stopped_by"), "context");
  EXPECT_EQ(json.at("prompt_tokens").get<int>() + json.at("generated_tokens").get<int>(), 64);
  const std::string text = json.at("text");
  EXPECT_EQ(text.substr(0, sizeof(kAnswer) - 1), kAnswer);
  EXPECT_EQ(text.find("<|im_end|>"), std::string::npos);
  const Json shown = run_json({"--prompt", kPrompt, "--ignore-eos", "--show-special"});
  EXPECT_NE(shown.at("text").get<std::string>().find("<|im_end|>"), std::string::npos);
}

TEST(Run, KeepsToMaxTokens) {
  const Json json = run_json({"--prompt", kPrompt, "--max-tokens", "3"});
  EXPECT_EQ(json.at("ids").size(), 3u);
  EXPECT_EQ(json.at("finish_reason"), "length");
  EXPECT_EQ(json.at("stopped_by"), "max-tokens");
  const Json none = run_json({"--prompt", kPrompt, "--max-tokens=0"});
  EXPECT_EQ(none.at("ids"), Json::array());
  EXPECT_EQ(none.at("first_token_seconds"), nullptr);
  EXPECT_EQ(run({"--prompt", kPrompt, "--max-tokens=-1"}).status, 2);
}

TEST(Run, TheSeedDecidesWhatIsSampled) {
  const auto text = [](const char* seed) {
    return run({"--prompt", "The", "--temperature", "1.5", "--seed", seed, "--max-tokens=30"}).out;
  };
  EXPECT_EQ(text("1"), text("1"));
  EXPECT_NE(text("1"), text("2"));
  const Json json = run_json({"--prompt", "The", "--sample", "--max-tokens=5"});
  EXPECT_EQ(json.at("temperature"), 0.7);
  const auto again =
      run_json({"--prompt", "The", "--sample", "--max-tokens=5", "--seed", json.at("seed").dump()});
  EXPECT_EQ(again.at("ids"), json.at("ids"));
}

TEST(Run, NeverPrintsHalfACharacter) {
  // Bytes of a character of four, then of none: 172 253 246 222 is one smiling face.
  const auto forced = [](const std::vector<std::string>& more) {
    std::vector<std::string> options{"--prompt",     "x",       "--max-tokens", "1",
                                     "--logit-bias", "172=1000"};
    options.insert(options.end(), more.begin(), more.end());
    return run(options).out;
  };
  EXPECT_EQ(forced({}), "\uFFFD\n");
  EXPECT_EQ(run({"--prompt", "x", "--max-tokens", "3", "--logit-bias", "172=1000"}).out,
            "\uFFFD\uFFFD\uFFFD\n");
}

TEST(Run, WhenStoppedSaysSo) {
  StopFlag stop;
  stop.set();
  const auto outcome = run({"--prompt", kPrompt, "--json"}, tiny_bundle(), &stop);
  EXPECT_EQ(outcome.status, 130);
  EXPECT_EQ(Json::parse(outcome.out).at("finish_reason"), "interrupted");
}

TEST(Run, RefusesAPromptLongerThanTheContext) {
  std::string prompt;
  for (int i = 0; i < 70; ++i) prompt += " bread";
  const auto outcome = run({"--prompt", prompt});
  EXPECT_EQ(outcome.err, "limit: the prompt has 70 tokens; the context holds 64");
  EXPECT_EQ(outcome.status, 7);
}

TEST(Run, RefusesAnEmptyPrompt) {
  EXPECT_EQ(run({"--prompt", ""}).err, "bad-input: there are no token ids to run on");
}

TEST(Run, SaysThatTemplatesAreNotThereYet) {
  for (const auto& options :
       {std::vector<std::string>{"--chat"}, {"--chat", "hello"}, {"--prompt", "hi", "--chat"}}) {
    const auto outcome = run(options, "/none");
    EXPECT_EQ(outcome.err,
              "unsupported: chat templates are not there yet: write the whole prompt, control "
              "tokens and all, into --prompt");
    EXPECT_EQ(outcome.status, 5);
  }
}

TEST(Run, NeedsOnePrompt) {
  EXPECT_EQ(run({}, "x").err, "usage: run takes one of --prompt and --tokens");
  EXPECT_EQ(run({"--prompt", "a", "--tokens", "b"}, "x").status, 2);
  EXPECT_EQ(run({"--prompt", "a", "--logit-bias", "4096=1"}).err,
            "usage: --logit-bias names the id 4096; allowed: 0 to 4095");
}

TEST(Run, WithoutATokenizerTakesAndGivesIds) {
  const TempDir dir;
  const fs::path checkpoint = dir / "checkpoint";
  fs::create_directory(checkpoint);
  for (const char* file : {"config.json", "generation_config.json", "model.safetensors"}) {
    fs::create_symlink(fs::path(tiny_checkpoint()) / file, checkpoint / file);
  }
  const std::string bundle = (dir / "out").string();
  const auto converted =
      run_command("convert", {checkpoint.string(), "-o", bundle, "--context=64"});
  ASSERT_EQ(converted.status, 0);
  EXPECT_NE(converted.err.find("anemone: warning: no tokenizer.json"), std::string::npos);
  const auto ids = run_command("tokenize", {tiny_checkpoint(), "--text", kPrompt}).out;
  const auto outcome = run_command("run", {bundle, "--tokens", "-"}, ids);
  EXPECT_EQ(outcome.out, run_command("tokenize", {tiny_checkpoint(), "--text", kAnswer}).out);
  EXPECT_EQ(
      run({"--prompt", "x"}, bundle).err,
      "unsupported: " + bundle + ": has no tokenizer and takes token ids only: --tokens FILE");
}

}  // namespace
}  // namespace anemone::cli
