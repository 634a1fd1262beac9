#include "anemone/gate/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "anemone/gate/text.h"
#include "anemone/testing/message_of.h"
#include "anemone/testing/temp_dir.h"
#include "anemone/testing/toy_model.h"

namespace anemone::gate {
namespace {

using anemone::testing::message_of;
using anemone::testing::TempDir;
using anemone::testing::toy_predictors;
using anemone::testing::write_toy_bundle;
using ::testing::ElementsAre;

// Changes what a package gives out, by the output's name.
using Tamper = std::function<void(std::string_view function, std::string_view output,
                                  std::span<float> values)>;

class TamperedPredictor : public generate::Predictor {
 public:
  TamperedPredictor(std::unique_ptr<generate::Predictor> inner, const Tamper& tamper)
      : inner_(std::move(inner)), tamper_(tamper) {}
  const std::vector<generate::FunctionInterface>& functions() const override {
    return inner_->functions();
  }
  void prepare(std::string_view function) override { inner_->prepare(function); }
  std::unique_ptr<generate::PredictorState> make_state() override { return inner_->make_state(); }
  void predict(std::string_view function, std::span<const engine::Feed> feeds,
               generate::PredictorState* state, std::span<const engine::Fetch> fetches) override {
    inner_->predict(function, feeds, state, fetches);
    for (const engine::Fetch& fetch : fetches) {
      tamper_(function, fetch.name,
              {static_cast<float*>(fetch.data), static_cast<std::size_t>(fetch.count)});
    }
  }

 private:
  std::unique_ptr<generate::Predictor> inner_;
  Tamper tamper_;
};

// A toy bundle in a folder of its own; its logits a little off, so that two of them are not the
// same, unless `tamper` says otherwise.
struct Toy {
  explicit Toy(const anemone::testing::ToyOptions& options = {}, Tamper tamper = {})
      : bundle(write_toy_bundle(dir.path(), options)) {
    if (!tamper) {
      tamper = [](std::string_view, std::string_view output, std::span<float> values) {
        if (!output.starts_with("logits")) return;
        for (float& value : values) value *= 1.0001f;
      };
    }
    const auto open = toy_predictors(bundle);
    runner =
        generate::Runner::load(dir.path(), {.open = [=](const std::filesystem::path& package) {
                                 return std::make_unique<TamperedPredictor>(open(package), tamper);
                               }});
  }
  TempDir dir;
  generate::Bundle bundle;
  std::unique_ptr<const generate::Runner> runner;
};

// The same model untouched.
const generate::Runner& right() {
  static const Toy toy({}, [](std::string_view, std::string_view, std::span<float>) {});
  return *toy.runner;
}

Report judged(const Toy& toy, Options options = {}) {
  if (options.ids.empty()) options.ids = random_ids(30, 20, 7);
  const auto reference = reference_of(right());
  return judge(*toy.runner, *reference, options);
}

std::vector<std::string> checks(const Report& report) {
  std::vector<std::string> found;
  for (const Failure& failure : report.failures) found.push_back(failure.check);
  return found;
}

TEST(Judge, PassesWhatIsRightAndLooksAtBothWaysUpToTheContextsEnd) {
  const Report report = judged(Toy());
  EXPECT_THAT(checks(report), ElementsAre());
  ASSERT_EQ(report.summaries.size(), 2u);
  const Summary& blocks = report.summaries[0];
  EXPECT_EQ(blocks.positions, 30 + 8);
  EXPECT_EQ(blocks.last_position, 63);
  EXPECT_EQ(blocks.agreeing, 38);
  const Summary& decode = report.summaries[1];
  EXPECT_EQ(decode.positions, 16);
  EXPECT_EQ(decode.first_position, 0);
  EXPECT_EQ(decode.last_position, 63);
  std::vector<std::int64_t> positions;
  for (const Row& row : report.rows) {
    if (row.way == Way::kDecode) positions.push_back(row.position);
  }
  EXPECT_THAT(positions, ElementsAre(6, 7, 8, 9, 0, 1, 2, 3, 56, 57, 58, 59, 60, 61, 62, 63));
  ASSERT_EQ(report.boundaries.size(), 2u);
  EXPECT_EQ(report.boundaries[1].layer, 2);
  EXPECT_GT(report.boundaries[0].is.cosine, 0.999999);
  ASSERT_TRUE(report.perplexity.has_value());
  EXPECT_EQ(report.perplexity->predictions, 29);
  EXPECT_EQ(report.greedy.steps, 8);
  EXPECT_EQ(report.greedy.agreed, 8);
}

TEST(Judge, DecodesTheLastEightOfATextThatFillsTheContext) {
  const Report report = judged(Toy(), {.ids = random_ids(64, 20, 3)});
  EXPECT_THAT(checks(report), ElementsAre());
  EXPECT_EQ(report.summaries[0].positions, 64);
  EXPECT_EQ(report.summaries[1].positions, 16);
  EXPECT_EQ(report.summaries[1].last_position, 63);
}

TEST(Judge, DecodesEverythingIfAskedTo) {
  const Report report = judged(Toy(), {.ids = random_ids(20, 20, 3), .decode_all = true});
  EXPECT_THAT(checks(report), ElementsAre());
  EXPECT_EQ(report.summaries[1].positions, 36);
}

TEST(Judge, ManagesATextOfOneId) {
  const Report report = judged(Toy(), {.ids = {5}});
  EXPECT_THAT(checks(report), ElementsAre());
  EXPECT_FALSE(report.perplexity.has_value());
}

TEST(Judge, ServesEveryKindOfBundle) {
  for (const char* kv : {"slice", "blend", "host"}) {
    for (const bool single : {false, true}) {
      const Report report = judged(Toy({.single = single, .kv = kv}));
      EXPECT_THAT(checks(report), ElementsAre()) << kv << single;
      EXPECT_EQ(report.boundaries.size(), single ? 0u : 2u);
    }
  }
}

// One logit of the first tile in one of the ways.
Tamper on_logits(std::string_view function, const std::function<void(std::span<float>)>& change) {
  return [=](std::string_view of, std::string_view output, std::span<float> values) {
    if (of == function && output == "logits_0") change(values);
  };
}

TEST(Judge, FailsNotANumber) {
  const Report report =
      judged(Toy({}, on_logits("decode", [](std::span<float> v) { v[3] = NAN; })), {.greedy = 0});
  EXPECT_THAT(checks(report), ::testing::Contains("finite"));
  EXPECT_THAT(report.failures[0].what, ::testing::HasSubstr(": logits are infinite or NaN"));
}

TEST(Judge, FailsLogitsThatAreAllEqual) {
  const Report report =
      judged(Toy({}, [](std::string_view, std::string_view output, std::span<float> values) {
        if (output.starts_with("logits")) std::fill(values.begin(), values.end(), 1.0f);
      }));
  EXPECT_THAT(checks(report), ::testing::Contains("flat"));
}

TEST(Judge, FailsADefectAndTellsItFromANearTie) {
  // Id 0 is made the best everywhere: a defect, unless any margin counts as a tie.
  const Tamper tamper = on_logits("score", [](std::span<float> v) {
    for (std::size_t i = 0; i < v.size(); i += 7) v[i] = 100;
  });
  const Report report = judged(Toy({}, tamper), {.greedy = 0});
  EXPECT_THAT(checks(report), ::testing::IsSupersetOf({"top-1", "cosine", "perplexity"}));
  EXPECT_GT(report.summaries[0].defects, 0);
  EXPECT_EQ(report.summaries[1].defects, 0);
  Options lax{.greedy = 0, .thresholds = {.near_tie = 1e6}};
  const Report tied = judged(Toy({}, tamper), lax);
  EXPECT_THAT(checks(tied), ::testing::Not(::testing::Contains("top-1")));
  EXPECT_EQ(tied.summaries[0].near_ties,
            report.summaries[0].near_ties + report.summaries[0].defects);
}

TEST(Judge, FailsABoundaryThoughLogitsWouldPass) {
  const Tamper tamper = [](std::string_view function, std::string_view output,
                           std::span<float> values) {
    if (function == "prefill" && output == "hidden_out") values[0] += 50;
  };
  const Report report = judged(Toy({}, tamper), {.thresholds = {.min_cosine = std::nullopt}});
  EXPECT_THAT(checks(report), ::testing::Contains("boundary"));
}

TEST(Judge, FailsAComparisonWithItself) {
  const auto reference = reference_of(right());
  const Report same = judge(right(), *reference, {.ids = {1, 2, 3}});
  EXPECT_THAT(checks(same), ElementsAre("itself"));
  EXPECT_TRUE(same.rows.empty());
  // A copy is no better: not one bit differs.
  const Toy copy({}, [](std::string_view, std::string_view, std::span<float>) {});
  EXPECT_THAT(checks(judged(copy)), ElementsAre("itself"));
}

// A reference with its own idea of things.
class Odd : public Reference {
 public:
  std::string says() const override { return "odd"; }
  std::filesystem::path path() const override { return "/nowhere"; }
  std::int64_t vocab_size() const override { return vocab; }
  std::int64_t hidden_size() const override { return 6; }
  void take(std::span<const Sequence>, std::span<const std::int64_t>, const Progress&,
            const StopFlag*) override {}
  void logits(std::size_t, std::int64_t, std::int64_t, std::span<float> out) override {
    std::fill(out.begin(), out.end(), value);
  }
  std::span<const float> stream(std::int64_t, std::size_t) const override { return {}; }
  std::int64_t vocab = 20;
  float value = 0;
};

TEST(Judge, FailsAVocabularyOfAnotherWidth) {
  Odd odd;
  odd.vocab = 24;
  const Report report = judge(right(), odd, {.ids = {1, 2, 3}});
  ASSERT_THAT(checks(report), ElementsAre("vocabulary"));
  EXPECT_EQ(report.failures[0].what,
            "the subject gives 20 logits for each position, the reference 24");
}

TEST(Judge, FailsAReferenceThatIsWorthless) {
  Odd odd;
  EXPECT_THAT(checks(judge(right(), odd, {.ids = {1, 2, 3}})), ::testing::Contains("reference"));
  odd.value = NAN;
  EXPECT_THAT(checks(judge(right(), odd, {.ids = {1, 2, 3}})), ::testing::Contains("reference"));
}

TEST(Judge, RefusesATextThatDoesNotFit) {
  EXPECT_EQ(message_of([] { judged(Toy(), {.ids = std::vector<int>(65, 1)}); }),
            "limit: the prompt has 65 tokens; the context holds 64");
}

TEST(RandomIds, AreTheSameEverywhere) {
  EXPECT_THAT(random_ids(5, 1000, 1), ElementsAre(465, 519, 590, 235, 761));
}

}  // namespace
}  // namespace anemone::gate
