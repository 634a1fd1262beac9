#include "anemone/generate/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "anemone/testing/message_of.h"

namespace anemone::generate {
namespace {

using testing::message_of;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// How often each id comes out of `draws` choices.
std::vector<int> histogram(const SamplingOptions& options, const std::vector<float>& logits,
                           int draws = 4000) {
  Sampler sampler(options, {});
  std::vector<int> counts(logits.size());
  for (int i = 0; i < draws; ++i) ++counts[static_cast<std::size_t>(sampler.choose(logits, 1))];
  return counts;
}

// The ids that can come out at all.
std::vector<int> support(const SamplingOptions& options, const std::vector<float>& logits) {
  std::vector<int> ids;
  const auto counts = histogram(options, logits);
  for (std::size_t id = 0; id < counts.size(); ++id) {
    if (counts[id] > 0) ids.push_back(static_cast<int>(id));
  }
  return ids;
}

TEST(Random, GivesThePublishedNumbers) {
  // splitmix64 from seed 0 begins with e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f,
  // f88bb8a8724c81ec; xoshiro256** makes rotl(second * 5, 7) * 9 of them first.
  Random random(0);
  EXPECT_EQ(random.next(), std::rotl(0x6e789e6aa1b965f4u * 5, 7) * 9);
  Random again(0);
  again.next();
  EXPECT_EQ(random.next(), again.next());
  for (int i = 0; i < 1000; ++i) {
    const double u = random.uniform();
    EXPECT_GE(u, 0.0);
    EXPECT_LT(u, 1.0);
  }
}

TEST(Sampler, GreedyTakesTheLargestAndTheLowestIdAmongEquals) {
  Sampler sampler({}, {});
  EXPECT_EQ(sampler.choose(std::vector<float>{1, 3, 2, 3}, 1), 1);
  EXPECT_EQ(sampler.choose(std::vector<float>{-5, -kInfinity, -4}, 1), 2);
}

TEST(Sampler, TinyTemperaturesAreGreedyAndNeverOverflow) {
  const std::vector<float> logits{60000, 60001, -60000, 60000};
  for (const double temperature : {0.0, 1e-9, 1e-38, 1e-300}) {
    for (const double top_p : {0.9, 1.0}) {
      Sampler sampler({.temperature = temperature, .top_p = top_p}, {});
      for (int i = 0; i < 20; ++i) EXPECT_EQ(sampler.choose(logits, 1), 1) << temperature;
    }
  }
}

TEST(Sampler, DrawsInProportionToTheSoftmax) {
  const std::vector<float> logits{std::log(1.0f), std::log(2.0f), std::log(5.0f)};
  const auto counts = histogram({.temperature = 1, .seed = 1}, logits, 80000);
  EXPECT_NEAR(counts[0], 10000, 400);  // four standard deviations are 374
  EXPECT_NEAR(counts[1], 20000, 500);
  EXPECT_NEAR(counts[2], 50000, 600);
  const auto flat = histogram({.temperature = 1e6, .seed = 1}, logits, 30000);
  EXPECT_NEAR(flat[0], 10000, 400);
}

TEST(Sampler, TheSameSeedGivesTheSameIdsAndAnotherSeedOthers) {
  const std::vector<float> logits(50, 0.0f);
  const auto draw = [&](std::uint64_t seed) {
    Sampler sampler({.temperature = 1, .seed = seed}, {});
    std::vector<int> ids;
    for (int i = 0; i < 20; ++i) ids.push_back(sampler.choose(logits, 1));
    return ids;
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_NE(draw(7), draw(8));
}

TEST(Sampler, TopKKeepsTheLargestAndAllThatEqualTheLast) {
  const std::vector<float> logits{2, 1, 3, 2, 0};
  EXPECT_EQ(support({.temperature = 1, .top_k = 1}, logits), (std::vector<int>{2}));
  EXPECT_EQ(support({.temperature = 1, .top_k = 2}, logits), (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(support({.temperature = 1, .top_k = 9}, logits).size(), 5u);
}

TEST(Sampler, TopPKeepsTheFewestThatReachIt) {
  const std::vector<float> logits{std::log(1.0f), std::log(4.0f), std::log(3.0f), std::log(2.0f)};
  EXPECT_EQ(support({.temperature = 1, .top_p = 0.0}, logits), (std::vector<int>{1}));
  EXPECT_EQ(support({.temperature = 1, .top_p = 0.3}, logits), (std::vector<int>{1}));
  EXPECT_EQ(support({.temperature = 1, .top_p = 0.45}, logits), (std::vector<int>{1, 2}));
  EXPECT_EQ(support({.temperature = 1, .top_p = 0.75}, logits), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(support({.temperature = 1, .top_p = 0.95}, logits).size(), 4u);
}

TEST(Sampler, TopPFindsItsEndFarDownALongList) {
  // 2000 equal ids: the first 1400 reach 0.7, by their ids.
  const std::vector<float> logits(2000, 1.0f);
  Sampler sampler({.temperature = 1, .top_p = 0.7}, {});
  int largest = 0;
  for (int i = 0; i < 300; ++i) largest = std::max(largest, sampler.choose(logits, 1));
  EXPECT_LE(largest, 1400);
  EXPECT_GE(largest, 1350);
}

TEST(Sampler, MinPComparesWithTheLikeliest) {
  const std::vector<float> logits{std::log(1.0f), std::log(4.0f), std::log(10.0f)};
  EXPECT_EQ(support({.temperature = 1, .min_p = 0.3}, logits), (std::vector<int>{1, 2}));
  EXPECT_EQ(support({.temperature = 1, .min_p = 0.5}, logits), (std::vector<int>{2}));
  EXPECT_EQ(support({.temperature = 1, .min_p = 1.0}, logits), (std::vector<int>{2}));
}

TEST(Sampler, TopPLooksAtWhatTopKLeft) {
  // Of all four, 4/10 does not reach 0.5; of the two that top-k leaves, 4/7 does.
  const std::vector<float> logits{std::log(1.0f), std::log(4.0f), std::log(3.0f), std::log(2.0f)};
  EXPECT_EQ(support({.temperature = 1, .top_p = 0.5}, logits), (std::vector<int>{1, 2}));
  EXPECT_EQ(support({.temperature = 1, .top_k = 2, .top_p = 0.5}, logits), (std::vector<int>{1}));
}

TEST(Sampler, RepetitionPenaltyDividesPositiveAndMultipliesNegativeLogits) {
  // +4 becomes 2 and -4 becomes -8.
  Sampler sampler({.repetition_penalty = 2}, {});
  sampler.observe(0);
  sampler.observe(0);
  sampler.observe(1);
  sampler.observe(1000);
  EXPECT_EQ(sampler.choose(std::vector<float>{4, -4, 2.1f}, 1), 2);
  EXPECT_EQ(sampler.choose(std::vector<float>{4, -4, 1.9f}, 1), 0);
  EXPECT_EQ(sampler.choose(std::vector<float>{-4, -4, -7.9f}, 1), 2);
  EXPECT_EQ(sampler.choose(std::vector<float>{-4, -4, -8.1f}, 1), 0);
}

TEST(Sampler, BiasComesBeforeTheRepetitionPenalty) {
  Sampler sampler({.logit_bias = {{0, 3.0f}}, .repetition_penalty = 2}, {});
  sampler.observe(0);
  // (1 + 3) / 2 = 2, where 1 / 2 + 3 would be 3.5.
  EXPECT_EQ(sampler.choose(std::vector<float>{1, 3}, 1), 1);
  EXPECT_EQ(sampler.choose(std::vector<float>{1, 1.9f}, 1), 0);
}

TEST(Sampler, BiasOfMinusInfinityBansAnId) {
  Sampler sampler({.logit_bias = {{1, -kInfinity}, {99, 5.0f}}}, {});
  EXPECT_EQ(sampler.choose(std::vector<float>{1, 3}, 1), 0);
}

TEST(Sampler, NeverChoosesABannedIdWhateverTheBias) {
  for (const double temperature : {0.0, 1.0}) {
    Sampler sampler({.logit_bias = {{2, 1000.0f}}, .temperature = temperature}, {2, 3});
    for (int i = 0; i < 50; ++i) EXPECT_LT(sampler.choose(std::vector<float>{0, 0, 9, 9}, 1), 2);
  }
}

TEST(Sampler, NamesTheLogitThatIsNoNumber) {
  Sampler sampler({}, {3});
  const auto choose = [&](std::vector<float> logits) {
    return message_of([&] { sampler.choose(logits, 17); });
  };
  EXPECT_EQ(choose({1, std::nanf(""), 2}),
            "numeric: after 17 tokens: the logit of id 1 is NaN; nothing can be chosen");
  EXPECT_EQ(choose({1, 2, kInfinity}),
            "numeric: after 17 tokens: the logit of id 2 is infinite; nothing can be chosen");
  EXPECT_EQ(choose({-kInfinity, -kInfinity, -kInfinity, 1}),
            "numeric: after 17 tokens: every logit is -infinity; nothing can be chosen");
  EXPECT_EQ(choose({}),
            "numeric: after 17 tokens: every logit is -infinity; nothing can be chosen");
}

TEST(SamplingOptions, NameWhatIsOutOfRange) {
  const auto refusal = [](SamplingOptions options) {
    return message_of([&] { Sampler(options, {}); });
  };
  EXPECT_EQ(refusal({.temperature = -1}), "usage: temperature is -1; allowed: 0 or more, finite");
  EXPECT_EQ(refusal({.top_k = -2}), "usage: top-k is -2; allowed: 0 or more");
  EXPECT_EQ(refusal({.top_p = 1.5}), "usage: top-p is 1.5; allowed: 0 to 1");
  EXPECT_EQ(refusal({.min_p = -0.5}), "usage: min-p is -0.5; allowed: 0 to 1");
  EXPECT_EQ(refusal({.repetition_penalty = 0}),
            "usage: repetition penalty is 0; allowed: more than 0, finite");
  EXPECT_EQ(refusal({.logit_bias = {{1, kInfinity}}}),
            "usage: a logit bias is inf; allowed: a finite number or -inf");
}

}  // namespace
}  // namespace anemone::generate
