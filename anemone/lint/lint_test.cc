#include "anemone/lint/lint.h"

#include <gtest/gtest.h>

#include <set>

#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace {

using Words = std::vector<std::string>;

constexpr Example kMixed = {.ports = "f16[4,8] x, i32[1] at", .statements = R"(
      f16[4,8] a = relu(x = x);
      f16[1,8] b = gather(x = a, indices = at, axis = i32(0));
      f32[1,8] c = cast(x = b, dtype = s("fp32"));
      f32[1,8] d = square(x = c);
      f16[1,8] e = cast(x = d, dtype = s("fp16"));
      f16[1,8] y = relu(x = e);)"};

TEST(Lint, NamesFunctionOpTensorShapeAndDtypeAndWhatIsAtRisk) {
  const mil::Program program = program_of(kMixed);
  const auto findings = findings_of(kMixed, program);
  const auto gather = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.rule->id == "gather";
  });
  ASSERT_NE(gather, findings.end());
  EXPECT_EQ(gather->function, "main");
  EXPECT_EQ(gather->op, "gather");
  EXPECT_EQ(gather->output, "b");
  EXPECT_EQ(gather->tensor, "b");
  EXPECT_EQ(gather->shape, "[1, 8]");
  EXPECT_EQ(gather->dtype, "fp16");
  EXPECT_EQ(gather->bytes, 16u + 16 + 4);
  EXPECT_EQ(gather->flops, 0u);
  // relu 128, gather 36, cast 48, square 64, cast 48, relu 32 bytes.
  EXPECT_NEAR(gather->share_bytes, 36.0 / 356, 1e-12);
  EXPECT_EQ(gather->share_flops, 0);
  ASSERT_NE(gather->at, nullptr);
  EXPECT_EQ(gather->at->output()->name, "b");
}

TEST(Lint, ListsTheWorstFirst) {
  const mil::Program program = program_of(kMixed);
  const auto findings = findings_of(kMixed, program);
  ASSERT_GT(findings.size(), 2u);
  for (std::size_t i = 1; i < findings.size(); ++i) {
    EXPECT_LE(findings[i - 1].severity(), findings[i].severity());
  }
}

TEST(Lint, KeepsIdsApartAndFindsRulesByThem) {
  std::set<std::string_view> ids;
  for (const Rule* rule : rules()) {
    EXPECT_TRUE(ids.insert(rule->id).second) << rule->id;
    EXPECT_EQ(find_rule(rule->id), rule);
  }
  EXPECT_EQ(find_rule("gathering"), nullptr);
}

TEST(Lint, OnlyAppleOrAMeasurementBlocksAndThePrivateRouteInforms) {
  static constexpr std::string_view kFacts[] = {"T01"};
  static constexpr Source kApple[] = {{Confidence::kApple, "a page of Apple's"}};
  static constexpr Source kGuess[] = {{Confidence::kFolklore, "a remark"}};
  static constexpr Source kTwo[] = {{Confidence::kApple, "one"}, {Confidence::kMeasured, "other"}};
  static constexpr Source kNowhere[] = {{Confidence::kApple, ""}};
  constexpr Rule kSound = {.id = "r",
                           .facts = kFacts,
                           .severity = Severity::kRejected,
                           .confidence = Confidence::kApple,
                           .looks_at = "ops",
                           .says = "it fails",
                           .sources = kApple};
  static_assert(defect_of(kSound).empty());
  const auto with = [&](const auto& change) {
    Rule rule = kSound;
    change(rule);
    return defect_of(rule);
  };
  EXPECT_EQ(with([](Rule& rule) { rule.says = ""; }), "it lacks words");
  EXPECT_EQ(with([](Rule& rule) { rule.facts = {}; }), "it names no facts");
  EXPECT_EQ(with([](Rule& rule) { rule.sources = {}; }), "it has no source");
  EXPECT_EQ(with([](Rule& rule) { rule.sources = kNowhere; }), "a source does not say where");
  EXPECT_EQ(with([](Rule& rule) { rule.sources = kGuess; }), "it is surer than its sources");
  EXPECT_EQ(with([](Rule& rule) {
              rule.sources = kGuess;
              rule.confidence = Confidence::kFolklore;
            }),
            "it is worse than slow without Apple's word or a measurement");
  EXPECT_EQ(with([](Rule& rule) {
              rule.sources = kGuess;
              rule.confidence = Confidence::kFolklore;
              rule.severity = Severity::kSlow;
            }),
            "");
  EXPECT_EQ(with([](Rule& rule) { rule.is_direct = true; }),
            "the private route alone makes a note");
  EXPECT_EQ(with([](Rule& rule) {
              rule.sources = kTwo;
              rule.confidence = Confidence::kConflict;
              rule.severity = Severity::kSlow;
            }),
            "a conflict says who disagrees, and nothing else does");
  EXPECT_EQ(with([](Rule& rule) {
              rule.moves = true;
              rule.severity = Severity::kNote;
            }),
            "what moves an op is no remark");
  for (const Rule* rule : rules()) {
    EXPECT_EQ(defect_of(*rule), "") << rule->id;
    for (const std::string_view words : {rule->says, rule->rewrite, rule->looks_at}) {
      EXPECT_FALSE(words.ends_with(".")) << rule->id;
    }
  }
}

TEST(Lint, KnowsChipsByTheirMarketingNames) {
  for (const char* name : {"m4", "M4", "M4 Pro", "M4 Max", "Apple M4"}) {
    const auto chip = find_chip(name);
    ASSERT_TRUE(chip) << name;
    EXPECT_EQ(chip->name, "M4");
    EXPECT_EQ(chip->generation, 4);
    EXPECT_FALSE(chip->is_phone);
  }
  ASSERT_TRUE(find_chip("A17 Pro"));
  EXPECT_TRUE(find_chip("A17 Pro")->is_phone);
  for (const char* name : {"", "M", "M9", "M44", "Pro", "x86"})
    EXPECT_FALSE(find_chip(name)) << name;
}

TEST(Lint, NamesSeveritiesAndConfidences) {
  EXPECT_EQ(find_severity("leaves-ane"), Severity::kLeavesAne);
  EXPECT_FALSE(find_severity("fatal"));
  for (const std::string_view word : severity_names()) EXPECT_EQ(name(*find_severity(word)), word);
  EXPECT_EQ(name(Confidence::kAppleOs27), "apple-os27");
  EXPECT_EQ(name(Confidence::kConflict), "conflict");
}

}  // namespace
}  // namespace anemone::lint
