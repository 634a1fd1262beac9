#include "anemone/ladder/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "anemone/evidence/placement.h"
#include "tests/coreml/packages.h"

// Evidence as the Core ML runner fills it in, by the stand-in.
namespace anemone::coreml {
namespace {

namespace fs = std::filesystem;
using evidence::Outcome;
using evidence::Record;

class Recording : public ::testing::Test {
 protected:
  // What a child finds of a package's function, measured here as a child would.
  Record record(const fs::path& package, const std::string& function, std::int64_t steps) {
    const fs::path figures = stand_in_.folder() / "figures";
    fs::remove_all(figures);
    ladder::record_package(
        {.package = package,
         .function = function,
         .runner = {.name = "cpu"},
         .command = {"/bin/sh", "-c", "cp -r \"$2\" '" + figures.string() + "'; exit 1"}});
    const fs::path output = stand_in_.folder() / "record.json";
    EXPECT_EQ(ladder::run_child(ladder::PackageJob{.package = package,
                                                   .function = function,
                                                   .figures = figures,
                                                   .runner = ladder::parse_runner("coreml"),
                                                   .output = output,
                                                   .steps = steps}),
              0);
    return evidence::load_document(output).records.at(0);
  }

  StandIn stand_in_;
};

TEST_F(Recording, FillsInWhatCoreMlDid) {
  const Record found = record(stand_in_.stateful(R"({"plan_of": {
      "sum": {"supported": ["cpu", "gpu", "ane"], "preferred": "ane", "cost": 0.75},
      "y": {"supported": ["cpu"], "preferred": "cpu", "cost": 0.25}}})"),
                              "prefill", 4);
  EXPECT_EQ(found.runner, "coreml");
  EXPECT_EQ(found.function, "prefill");
  EXPECT_EQ(found.compile->outcome, Outcome::kOk);
  ASSERT_EQ(found.units.size(), 3u);
  for (const char* choice : {"cpu", "cpu+gpu", "cpu+ane"}) {
    const evidence::Units& units = found.units.at(choice);
    EXPECT_GT(units.cold_load->seconds.value(), 0) << choice;
    EXPECT_GT(units.warm_load->seconds.value(), 0) << choice;
    EXPECT_EQ(units.plan->outcome, Outcome::kOk) << choice;
    EXPECT_EQ(units.predict->outcome, Outcome::kOk) << choice;
    EXPECT_EQ(units.latency.steady_count, 4) << choice;
    EXPECT_LE(*units.latency.steady_p50_seconds, *units.latency.steady_p95_seconds) << choice;
    EXPECT_EQ(units.steps_done, 4) << choice;
    EXPECT_EQ(units.state_bytes, 80u) << choice;  // 2 rows of 20 fp16
    EXPECT_GT(units.footprint.peak_bytes.value(), 0u) << choice;
    EXPECT_LE(units.predicting_from.value(), units.predicting_to.value()) << choice;
    EXPECT_FALSE(units.ane_energy.has_value()) << choice;  // no runner reads it
    // The stand-in computes with the engine that the golden figures are from.
    EXPECT_TRUE(units.numerics->passed()) << choice << ' ' << units.numerics->snr_db;
    const auto sum = std::find_if(units.ops.begin(), units.ops.end(),
                                  [](const auto& op) { return op.output == "sum"; });
    ASSERT_NE(sum, units.ops.end()) << choice;
    EXPECT_EQ(sum->op, "ios18.add");
    EXPECT_EQ(sum->preferred, "ane");
    EXPECT_EQ(sum->cost, 0.75);
  }
  EXPECT_EQ(evidence::inconsistencies(found), std::vector<std::string>{});
  EXPECT_TRUE(evidence::judge(found).is_weighted);
}

TEST_F(Recording, KeepsWhatWasLearntBeforeAFailure) {
  const Record found =
      record(stand_in_.stateful(R"({"predict": {"at": 3, "raises": "tired"}})"), "decode", 5);
  const evidence::Units& cpu = found.units.at("cpu");
  EXPECT_EQ(cpu.predict->outcome, Outcome::kError);
  EXPECT_EQ(cpu.failed_step.value(), cpu.steps_done.value() + 1);
  EXPECT_EQ(evidence::judge(found).placement, evidence::Placement::kFailed);
}

}  // namespace
}  // namespace anemone::coreml
