#include "anemone/cli/sampling_settings.h"

#include <gtest/gtest.h>

#include "anemone/cli/testing.h"
#include "anemone/testing/message_of.h"

namespace anemone::cli {
namespace {

using testing::message_of;

const Json kConfig = Json::parse(
    R"({"do_sample": true, "temperature": 0.7, "top_k": 20, "top_p": 0.9, "repetition_penalty": 1.1})");

TEST(SamplingSettings, AreGreedyUnlessChanceIsAskedFor) {
  EXPECT_EQ(sampling_options({}, kConfig, "f").temperature, 0);
  EXPECT_EQ(sampling_options({}, kConfig, "f").repetition_penalty, 1);
  EXPECT_EQ(sampling_options({.seed = 5}, kConfig, "f").temperature, 0);
  EXPECT_EQ(sampling_options({.greedy = true, .top_k = 5}, kConfig, "f").temperature, 0);
  EXPECT_EQ(sampling_options({.temperature = 0.5}, kConfig, "f").temperature, 0.5);
  EXPECT_EQ(sampling_options({.top_p = 0.5}, kConfig, "f").temperature, 1);
  EXPECT_EQ(sampling_options({.top_k = 3}, kConfig, "f").temperature, 1);
  EXPECT_EQ(sampling_options({.min_p = 0.1}, kConfig, "f").temperature, 1);
}

TEST(SamplingSettings, SampleTakesTheGenerationConfigAndOptionsOverrideIt) {
  const auto all = sampling_options({.sample = true}, kConfig, "f");
  EXPECT_EQ(all.temperature, 0.7);
  EXPECT_EQ(all.top_k, 20);
  EXPECT_EQ(all.top_p, 0.9);
  EXPECT_EQ(all.min_p, 0);
  EXPECT_EQ(all.repetition_penalty, 1.1);
  const auto some = sampling_options({.sample = true, .top_p = 0.5, .top_k = 0}, kConfig, "f");
  EXPECT_EQ(some.top_p, 0.5);
  EXPECT_EQ(some.top_k, 0);
  EXPECT_EQ(some.temperature, 0.7);
  EXPECT_EQ(sampling_options({.sample = true}, Json::object(), "f").temperature, 1);
  EXPECT_EQ(message_of([] {
              sampling_options({.sample = true}, Json{{"top_p", "high"}}, "config");
            }),
            "bad-input: config: 'top_p' is \"high\"; allowed: a number");
}

TEST(SamplingSettings, KeepTheSeedThatIsGivenAndDrawOneOtherwise) {
  EXPECT_EQ(sampling_options({.seed = 42}, {}, "f").seed, 42u);
  EXPECT_NE(sampling_options({}, {}, "f").seed, sampling_options({}, {}, "f").seed);
}

TEST(SamplingSettings, RefuseContradictions) {
  EXPECT_EQ(message_of([] { sampling_options({.greedy = true, .sample = true}, {}, "f"); }),
            "usage: --greedy excludes --sample");
  EXPECT_EQ(message_of([] { sampling_options({.greedy = true, .temperature = 1}, {}, "f"); }),
            "usage: --greedy excludes a --temperature above 0");
  EXPECT_EQ(sampling_options({.greedy = true, .temperature = 0}, {}, "f").temperature, 0);
  EXPECT_EQ(message_of([] { sampling_options({.top_p = 2}, {}, "f"); }),
            "usage: top-p is 2; allowed: 0 to 1");
}

TEST(SamplingSettings, AreReadFromTheCommandLine) {
  const auto refusal = [](const std::vector<std::string>& arguments) {
    auto all = arguments;
    all.insert(all.begin(), {"none", "--prompt", "x"});
    return run_command("run", all).err;
  };
  EXPECT_EQ(refusal({"--seed", "-1"}),
            "usage: --seed is '-1'; allowed: an integer from 0 to 18446744073709551615");
  EXPECT_EQ(refusal({"--logit-bias", "5"}),
            "usage: --logit-bias is '5'; allowed: ID=V, a token id and a number, as in 42=-3.5");
  EXPECT_EQ(refusal({"--logit-bias", "-5=1"}).substr(0, 29), "usage: --logit-bias is '-5=1'");
  EXPECT_EQ(refusal({"--logit-bias", "5=nan"}).substr(0, 30), "usage: --logit-bias is '5=nan'");
  EXPECT_EQ(refusal({"--logit-bias", "5=inf"}),
            "usage: a logit bias is inf; allowed: a finite number or -inf");
  EXPECT_EQ(
      refusal({"--logit-bias", "5=-inf", "--logit-bias=6=+1e3", "--seed", "18446744073709551615"}),
      "not-found: none: there is no such folder");
}

}  // namespace
}  // namespace anemone::cli
