#include "anemone/ladder/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace anemone::ladder {
namespace {

using evidence::Record;

// A filled form's record of a machine on which it runs, or is kept off the engine.
Record record_of(const std::string& id, bool runs, const std::string& form = "filled") {
  Record record{.experiment = id, .form = form, .runner = "coreml"};
  evidence::Units cpu;
  cpu.latency = {.steady_count = 20, .steady_p50_seconds = 0.004, .steady_p95_seconds = 0.004};
  evidence::Units ane = cpu;
  ane.latency.steady_p50_seconds = runs ? 0.001 : 0.004;
  ane.cold_load = evidence::Stage{};
  ane.ops = {{.op = "ios18.conv", .output = "y", .supported = {"cpu"}, .preferred = "cpu"}};
  if (runs) ane.ops[0].preferred = "ane";
  ane.footprint = {.before_bytes = 1000, .peak_bytes = 2000};
  ane.ane_energy = evidence::Energy{.joules = 1, .predictions = 20};
  ane.numerics = evidence::Numerics{.snr_db = 60, .required_snr_db = 40};
  record.units = {{"cpu", cpu}, {"cpu+ane", ane}};
  return record;
}

// Keeps off the engine what has all hypotheses of a cause in its graph.
struct Machine {
  std::vector<Suspects> causes;
  std::vector<std::string> failing_rungs = {};

  bool runs(const std::string& id) const {
    if (std::find(failing_rungs.begin(), failing_rungs.end(), id) != failing_rungs.end()) {
      return false;
    }
    const auto parsed = parse_experiment(id);
    return !parsed || std::none_of(causes.begin(), causes.end(), [&](Suspects cause) {
      return (parsed->second & cause) == cause;
    });
  }
};

struct Path {
  Verdict end;
  std::vector<Record> records;
  int searched = 0;  // experiments, prerequisites not counted
};

Path follow(const Machine& machine) {
  const Ladder ladder{.experiments = planned_experiments({})};
  Path path;
  for (;;) {
    path.end = conclude(ladder, path.records);
    if (path.end.is_complete || !path.end.next) return path;
    const std::string next = *path.end.next;
    path.searched += next.starts_with("with-") || next.starts_with("stateless-with-");
    path.records.push_back(record_of(next, machine.runs(next)));
  }
}

const Node& node(const Verdict& verdict, std::string_view id) {
  for (const auto* nodes : {&verdict.hypotheses, &verdict.rungs}) {
    for (const Node& one : *nodes) {
      if (one.id == id) return one;
    }
  }
  ADD_FAILURE() << id;
  return verdict.rungs.front();
}

// Every suspect stands where the machine's causes put it.
void expect_right(const Path& path, const Machine& machine, const char* what) {
  const auto all = suspects(kBase);
  EXPECT_TRUE(path.end.is_complete) << what;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Standing expected = Standing::kRefuted;
    for (const Suspects cause : machine.causes) {
      if (cause == Suspects{1} << i) expected = Standing::kSupported;
      if (cause != Suspects{1} << i && (cause >> i & 1) != 0) expected = Standing::kConfounded;
    }
    EXPECT_EQ(node(path.end, all[i]->id).standing, expected) << what << ' ' << all[i]->id;
  }
}

TEST(Verdict, FindsEverySingleCauseAmongTheSuspectsInLogarithmicallyManyExperiments) {
  const int n = static_cast<int>(suspects(kBase).size());
  ASSERT_EQ(n, 12);
  for (int cause = 0; cause < n; ++cause) {
    const Machine machine{.causes = {Suspects{1} << cause}};
    const Path path = follow(machine);
    expect_right(path, machine, "single");
    EXPECT_LE(path.searched, 4 + 2) << cause;
  }
}

TEST(Verdict, FindsEveryPairOfCausesAndNamesEveryPairThatWorksTogether) {
  const int n = static_cast<int>(suspects(kBase).size());
  for (int a = 0; a < n; ++a) {
    for (int b = a + 1; b < n; ++b) {
      const Machine either{.causes = {Suspects{1} << a, Suspects{1} << b}};
      expect_right(follow(either), either, "either");
      const Machine both{.causes = {Suspects{1} << a | Suspects{1} << b}};
      const Path path = follow(both);
      expect_right(path, both, "both");
      EXPECT_EQ(node(path.end, suspects(kBase)[static_cast<std::size_t>(a)]->id).together,
                (std::vector<std::string>{
                    std::string(suspects(kBase)[static_cast<std::size_t>(b)]->id)}));
    }
  }
}

TEST(Verdict, BuildsUpToTheBaseFirst) {
  const Path path = follow({});
  std::vector<std::string> order;
  for (const Record& record : path.records) order.push_back(record.experiment);
  const std::vector<std::string> way = {"mlp",  "norm-concat",     "rope", "scores",
                                        "head", "block-stateless", "block"};
  ASSERT_GE(order.size(), way.size());
  EXPECT_EQ(std::vector<std::string>(order.begin(), order.begin() + 7), way);
  EXPECT_EQ(node(path.end, "block").standing, Standing::kSupported);
  EXPECT_TRUE(path.end.causes.empty());
}

TEST(Verdict, SearchesWithoutStatesWhereNoneRuns) {
  Machine machine{.causes = {0b10}, .failing_rungs = {"block"}};
  const Path path = follow(machine);
  EXPECT_EQ(path.end.base, "block-stateless");
  EXPECT_TRUE(path.end.is_complete);
  EXPECT_EQ(node(path.end, suspects(kStatelessBase)[1]->id).standing, Standing::kSupported);
  EXPECT_EQ(node(path.end, "states-2l").standing, Standing::kUndecided);
  EXPECT_EQ(node(path.end, "states-2l").because,
            "the base it is added to, 'block', does not run itself");
}

TEST(Verdict, DecidesNothingWithoutFilledForms) {
  const Ladder ladder{.experiments = planned_experiments({})};
  const Verdict verdict = conclude(ladder, {record_of("mlp", true, "tiny")});
  EXPECT_EQ(node(verdict, "mlp").standing, Standing::kUndecided);
  EXPECT_THAT(node(verdict, "mlp").because, testing::HasSubstr("the tiny form decides nothing"));
}

TEST(Verdict, DecidesNothingFromACpuRun) {
  const Ladder ladder{.experiments = planned_experiments({})};
  Record record = record_of("mlp", true);
  record.runner = "cpu";
  record.units.erase("cpu+ane");
  const Verdict verdict = conclude(ladder, {record});
  EXPECT_EQ(node(verdict, "mlp").standing, Standing::kUndecided);
  EXPECT_NE(verdict.next, "mlp");
}

TEST(Verdict, DecidesOtherHypothesesByTheirPairAlone) {
  Path path = follow({});
  const Ladder ladder{.experiments = planned_experiments({})};
  path.records.push_back(record_of("with-states-3", false));
  path.records.push_back(record_of("with-states-2", true));
  const Verdict verdict = conclude(ladder, path.records);
  EXPECT_EQ(node(verdict, "states-3").standing, Standing::kSupported);
  EXPECT_EQ(node(verdict, "states-3").evidence,
            (std::vector<std::string>{"block", "with-states-3"}));
  EXPECT_EQ(node(verdict, "states-2").standing, Standing::kRefuted);
  EXPECT_EQ(node(verdict, "norm-prescaled").standing, Standing::kUndecided);
}

TEST(Verdict, NamesResultsThatContradictEachOther) {
  Path path = follow({.causes = {0b1}});
  // What was seen to fail alone runs with everything else.
  Ladder ladder{.experiments = planned_experiments({})};
  const std::string all = experiment_id(kBase, 0xfff);
  ladder.experiments.push_back(mixture(all));
  path.records.push_back(record_of(all, true));
  const Verdict verdict = conclude(ladder, path.records);
  EXPECT_EQ(verdict.contradiction, (std::vector<std::string>{"with-states-2l", all}));
  EXPECT_FALSE(verdict.is_complete);
  EXPECT_EQ(node(verdict, "states-2l").standing, Standing::kConfounded);
  EXPECT_THAT(to_text(verdict), testing::HasSubstr("The results contradict each other"));
}

TEST(Verdict, PrintsWhatItFound) {
  const Path path = follow({.causes = {0b1000}});
  EXPECT_THAT(to_text(path.end), testing::HasSubstr("cause: 'range-dim' by itself\n"
                                                    "There is no other cause among the suspects."));
  const OrderedJson json = to_json(path.end);
  EXPECT_EQ(json.at("causes"), OrderedJson({"'range-dim' by itself"}));
  EXPECT_EQ(json.at("complete"), true);
}

}  // namespace
}  // namespace anemone::ladder
