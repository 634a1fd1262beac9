#include "anemone/evidence/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/evidence/placement.h"
#include "anemone/evidence/schema.h"

namespace anemone::evidence {
namespace {

namespace fs = std::filesystem;

// Of a machine on which all goes well: every field is there.
Record full_record() {
  Record record{.experiment = "block",
                .form = "filled",
                .measured_at = "2026-11-30T06:00:00Z",
                .tool = "anemone 0.1.0",
                .runner = "coreml",
                .function = "main",
                .machine = {.model = "Mac16,1",
                            .chip = "Apple M4",
                            .os = "macOS",
                            .os_version = "15.1",
                            .os_build = "24B83",
                            .memory_bytes = 16'000'000'000,
                            .processors = 10,
                            .is_virtual = true},
                .package = {"block.mlpackage", "xxh3-128:0", 46'000'000},
                .exit_status = 0,
                .seconds = 12.5,
                .steps = 20,
                .compile = Stage{.seconds = 0.5},
                .log = {"a line"}};
  Units cpu{.cold_load = Stage{.seconds = 1.0},
            .warm_load = Stage{.seconds = 0.1},
            .plan = Stage{},
            .predict = Stage{},
            .latency = {.first_seconds = 0.01,
                        .steady_count = 20,
                        .steady_p50_seconds = 0.004,
                        .steady_p95_seconds = 0.005},
            .footprint = {1'000'000, 50'000'000, 50'000'000, 60'000'000},
            .numerics = Numerics{.snr_db = 60, .cosine = 1, .required_snr_db = 40},
            .state_bytes = 131072,
            .steps_done = 20};
  cpu.ops = {
      {.op = "ios18.conv", .output = "y", .supported = {"cpu"}, .preferred = "cpu", .cost = 1}};
  Units ane = cpu;
  ane.ops = {{.op = "ios18.conv",
              .output = "y",
              .supported = {"cpu", "gpu", "ane"},
              .preferred = "ane",
              .cost = 1},
             {.op = "const", .output = "w"}};
  ane.latency.steady_p50_seconds = 0.001;
  ane.latency.steady_p95_seconds = 0.0011;
  ane.ane_energy = Energy{.joules = 0.2, .idle_joules = 0.01, .predictions = 20};
  record.units = {{"cpu", cpu}, {"cpu+ane", ane}};
  return record;
}

TEST(Evidence, ReadsBackWhatItWrites) {
  const Document document{
      {full_record(), Record{.experiment = "x",
                             .measured_at = "now",
                             .tool = "t",
                             .runner = "cpu",
                             .package = {"p", "h", 1},
                             .outcome = Outcome::kHang,
                             .exit_signal = 9,
                             .steps = 500,
                             .units = {{"cpu", Units{.steps_done = 136, .failed_step = 137}}}}}};
  const std::string text = to_json(document).dump();
  EXPECT_EQ(violations(Json::parse(text)), std::vector<std::string>{});
  EXPECT_EQ(to_json(read_document(Json::parse(text), "x")).dump(), text);
  // What was not measured is not there.
  EXPECT_FALSE(Json::parse(text).at("records").at(1).contains("compile"));
}

TEST(Evidence, RefusesWhatTheSchemaDoesNotAllow) {
  const Json good = Json::parse(to_json(Document{{full_record()}}).dump());
  const auto complaint = [&](const char* pointer, Json value) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = std::move(value);
    try {
      read_document(bad, "e.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(complaint("/version", 2), "e.json: is no evidence: version: found 2; allowed: 1");
  EXPECT_EQ(
      complaint("/records/0/outcome", "fine"),
      "e.json: is no evidence: records[0].outcome: found \"fine\"; allowed: ok, error, crash, "
      "killed, hang, garbage, no-space");
  EXPECT_EQ(complaint("/records/0/mood", "good"),
            "e.json: is no evidence: records[0]: has a field 'mood' that is not known");
  EXPECT_EQ(complaint("/records/0/seconds", -1),
            "e.json: is no evidence: records[0].seconds: found -1; minimum is 0");
  EXPECT_EQ(complaint("/records/0/units/cpu/ops/0/cost", 1.5),
            "e.json: is no evidence: records[0].units.cpu.ops[0].cost: found 1.5; maximum is 1");
  EXPECT_EQ(complaint("/records/0/steps", 0),
            "e.json: is no evidence: records[0].steps: found 0; minimum is 1");
  EXPECT_EQ(complaint("/records/0/units/cpu/failed_step", 0),
            "e.json: is no evidence: records[0].units.cpu.failed_step: found 0; minimum is 1");
  EXPECT_EQ(complaint("/records/0/units/cpu/state_bytes", "many"),
            "e.json: is no evidence: records[0].units.cpu.state_bytes: found \"many\"; allowed: "
            "integer");
  EXPECT_EQ(complaint("/records/0/units/npu", Json::object()),
            "e.json: is no evidence: records[0].units: has a field 'npu' that is not known");
  EXPECT_EQ(complaint("/records/0/machine", Json{{"chip", "M4"}}),
            "e.json: is no evidence: records[0].machine: lacks 'os' (and 1 more)");
  EXPECT_EQ(complaint("/records/0/experiment", ""),
            "e.json: is no evidence: records[0].experiment: is empty");
}

TEST(Evidence, MergesEveryRecordOnce) {
  Record later = full_record();
  later.measured_at = "2026-12-01T06:00:00Z";
  Record elsewhere = full_record();
  elsewhere.machine.chip = "Apple M1";
  const Document merged = merge({{{later, full_record()}}, {{full_record(), elsewhere}}});
  ASSERT_EQ(merged.records.size(), 3u);
  EXPECT_EQ(merged.records[2].measured_at, later.measured_at);
}

TEST(Evidence, HashesNamesAndBytesOfAPackage) {
  const fs::path folder = fs::path(testing::TempDir()) / ("evidence-" + std::to_string(::getpid()));
  fs::create_directories(folder / "a.mlpackage/Data");
  write_file(folder / "a.mlpackage/Manifest.json", std::string_view("{}"));
  write_file(folder / "a.mlpackage/Data/empty", std::string_view(""));
  const Package first = describe_package(folder / "a.mlpackage");
  EXPECT_EQ(first.name, "a.mlpackage");
  EXPECT_EQ(first.size_bytes, 2u);
  EXPECT_EQ(describe_package(folder / "a.mlpackage/").hash, first.hash);
  fs::rename(folder / "a.mlpackage/Data/empty", folder / "a.mlpackage/Data/other");
  EXPECT_NE(describe_package(folder / "a.mlpackage").hash, first.hash);
  fs::remove_all(folder);
}

// --- The composite. ---

TEST(Placement, SaysRunsOnlyWhereAllSignsAgree) {
  EXPECT_EQ(judge(full_record()).placement, Placement::kRuns);
  const auto without = [](auto change) {
    Record record = full_record();
    change(record, record.units["cpu+ane"]);
    return judge(record).placement;
  };
  using R = Record;
  using U = Units;
  EXPECT_EQ(without([](R&, U& u) { u.ane_energy.reset(); }), Placement::kPlaced);
  EXPECT_EQ(without([](R&, U& u) { u.ane_energy->joules = 0.015; }), Placement::kPlanned);
  EXPECT_EQ(without([](R&, U& u) { u.latency.steady_p50_seconds = 0.0039; }), Placement::kPlanned);
  EXPECT_EQ(without([](R& r, U&) { r.units.erase("cpu"); }), Placement::kPlanned);
  EXPECT_EQ(without([](R&, U& u) { u.footprint.peak_bytes = 1'700'000'000; }), Placement::kPlanned);
  EXPECT_EQ(without([](R&, U& u) { u.footprint = {}; }), Placement::kPlanned);
  EXPECT_EQ(without([](R&, U& u) { u.cold_load.reset(); }), Placement::kPlanned);
  EXPECT_EQ(without([](R& r, U&) { r.log = {"E5RT: ANECCompile() FAILED (11)"}; }),
            Placement::kPlanned);
  EXPECT_EQ(without([](R&, U& u) { u.numerics.reset(); }), Placement::kPlanned);
  EXPECT_EQ(without([](R&, U& u) { u.numerics->snr_db = 12; }), Placement::kWrong);
  EXPECT_EQ(without([](R&, U& u) { u.ops[0].preferred = "cpu"; }), Placement::kSupported);
  EXPECT_EQ(without([](R&, U& u) { u.ops[0].preferred = "gpu", u.ops[0].supported = {"gpu"}; }),
            Placement::kAway);
  EXPECT_EQ(without([](R&, U& u) { u.ops.clear(); }), Placement::kUnmeasured);
  EXPECT_EQ(without([](R& r, U&) { r.units.erase("cpu+ane"); }), Placement::kUnmeasured);
  EXPECT_EQ(without([](R& r, U&) { r.outcome = Outcome::kHang; }), Placement::kFailed);
  EXPECT_EQ(without([](R&, U& u) { u.predict->outcome = Outcome::kError; }), Placement::kFailed);
}

// Supported everywhere and preferred nowhere is no residency.
TEST(Placement, CountsWhatIsPreferredAndNotWhatIsSupported) {
  Record record = full_record();
  Units& ane = record.units["cpu+ane"];
  ane.ops.clear();
  for (int i = 0; i < 77; ++i) {
    ane.ops.push_back({.op = "ios18.matmul",
                       .output = "y" + std::to_string(i),
                       .supported = {"cpu", "gpu", "ane"},
                       .preferred = "cpu"});
  }
  const Verdict verdict = judge(record);
  EXPECT_EQ(verdict.placement, Placement::kSupported);
  EXPECT_EQ(verdict.preferred_share, 0);
  EXPECT_THAT(describe(record),
              testing::HasSubstr("0.0 % of the planned ops prefer the ANE, 100.0 % are supported"));
}

// Neither what is supported nor how many ops there are makes up for where the cost goes.
TEST(Placement, SaysInItsHeadlineWhatShareOfTheCostPrefersTheAne) {
  Record record = full_record();
  Units& ane = record.units["cpu+ane"];
  ane.ops.clear();
  for (int i = 0; i < 4; ++i) {
    ane.ops.push_back({.op = "ios18.conv",
                       .output = "y" + std::to_string(i),
                       .supported = {"cpu", "gpu", "ane"},
                       .preferred = "cpu",
                       .cost = 0.25});
  }
  EXPECT_EQ(judge(record).placement, Placement::kSupported);
  EXPECT_TRUE(describe(record).starts_with(
      "block, filled: 0.0 % on the ANE by the plan (preferred unit, weighted by cost): supported "
      "on the ANE, but the plan prefers another unit\n"))
      << describe(record);
  // Three of four ops, and a tenth of the cost.
  for (int i = 0; i < 4; ++i) {
    ane.ops[static_cast<std::size_t>(i)].preferred = i < 3 ? "ane" : "cpu";
    ane.ops[static_cast<std::size_t>(i)].cost = i == 0 ? 0.1 : i < 3 ? 0.0 : 0.9;
  }
  EXPECT_DOUBLE_EQ(judge(record).preferred_share, 0.1);
  EXPECT_TRUE(describe(record).starts_with("block, filled: 10.0 % on the ANE"));
  // One op of unknown cost: they can only be counted.
  ane.ops[2].cost.reset();
  EXPECT_DOUBLE_EQ(judge(record).preferred_share, 0.75);
  EXPECT_TRUE(describe(record).starts_with(
      "block, filled: 75.0 % on the ANE by the plan (preferred unit, ops counted): "))
      << describe(record);
}

TEST(Describe, KeepsFirstAndLaterLoadsApartWithTheMachineAndItsBuild) {
  Record newer = full_record();
  newer.machine.os_build = "25A354";
  newer.machine.chip = "Apple M5";
  newer.units["cpu+ane"].cold_load->seconds = 40;
  newer.units["cpu+ane"].warm_load->seconds = 0.3;
  const Document merged = merge({{{full_record()}}, {{newer}}});
  ASSERT_EQ(merged.records.size(), 2u);
  EXPECT_THAT(describe(merged.records[0]),
              testing::AllOf(testing::HasSubstr("  machine  Apple M4, macOS 15.1 (24B83)"),
                             testing::HasSubstr(
                                 "  cpu+ane  first (cold) load 1 s, later (warm) load 0.1 s, ")));
  EXPECT_THAT(describe(merged.records[1]),
              testing::AllOf(testing::HasSubstr("  machine  Apple M5, macOS 15.1 (25A354)"),
                             testing::HasSubstr(
                                 "  cpu+ane  first (cold) load 40 s, later (warm) load 0.3 s, ")));
}

TEST(Describe, SaysAtWhichStepALongRunDied) {
  Record record = full_record();
  record.steps = 500;
  record.outcome = Outcome::kCrash;
  record.exit_signal = 6;
  Units& ane = record.units["cpu+ane"];
  ane.steps_done = 136;
  ane.failed_step = 137;
  EXPECT_EQ(judge(record).reason,
            "the process: crash, signal 6, at step 137 of 500 under cpu+ane, state 131072 bytes, "
            "package xxh3-128:0");
  EXPECT_THAT(describe(record),
              testing::AllOf(
                  testing::HasSubstr("  outcome  crash after 12.5 s, signal 6, at step 137 of 500 "
                                     "under cpu+ane, state 131072 bytes\n"),
                  testing::HasSubstr("136 of 500 steps, state 131072 bytes")));
  EXPECT_EQ(inconsistencies(record), std::vector<std::string>{});
  // A prediction that is refused, in a process that goes on; on the CPU an earlier one was.
  record.outcome = Outcome::kOk;
  record.exit_signal.reset();
  record.units["cpu"].steps_done = 3;
  record.units["cpu"].failed_step = 4;
  ane.predict = Stage{.outcome = Outcome::kError, .message = "no"};
  EXPECT_EQ(judge(record).reason,
            "predict: error, no, at step 137 of 500 under cpu+ane, state 131072 bytes, package "
            "xxh3-128:0");
  EXPECT_THAT(describe(record), testing::HasSubstr("12.5 s, predict failed at step 137 of 500"));
  ane.failed_step = 140;
  ane.steps_done = 501;
  EXPECT_EQ(
      inconsistencies(record),
      (std::vector<std::string>{"cpu+ane: the step that failed does not follow the last one done",
                                "cpu+ane: more steps were done than asked for"}));
}

TEST(Placement, SaysThatTheCompilerFailedBeforeTheProcessDied) {
  Record record = full_record();
  record.log = {"loading", "E5RT: MILCompilerForANE error: ANECCompile() FAILED", "more"};
  record.outcome = Outcome::kKilled;
  record.exit_signal = 9;
  Verdict verdict = judge(record);
  EXPECT_EQ(verdict.placement, Placement::kFailed);
  EXPECT_EQ(verdict.quiet, Sign::kNo);
  EXPECT_EQ(verdict.reason,
            "the ANE's compiler failed, \"E5RT: MILCompilerForANE error: ANECCompile() FAILED\"; "
            "the process: killed, signal 9");
  record.log = {"Failed to build the model execution plan using m.mil with error code: -14."};
  record.outcome = Outcome::kHang;
  record.exit_signal.reset();
  EXPECT_EQ(judge(record).reason,
            "the ANE's compiler failed, \"" + record.log[0] + "\"; the process: hang");
  // It went on, elsewhere: what was measured is not of the ANE.
  record.outcome = Outcome::kOk;
  EXPECT_EQ(judge(record).quiet, Sign::kNo);
  EXPECT_EQ(judge(record).placement, Placement::kPlanned);
}

TEST(Placement, LeavesConstantsOutOfTheShare) {
  Record record = full_record();
  for (int i = 0; i < 50; ++i) {
    record.units["cpu+ane"].ops.push_back({.op = "ios18.constexpr_blockwise_shift_scale",
                                           .output = "w" + std::to_string(i),
                                           .supported = {"cpu"},
                                           .preferred = "cpu"});
  }
  EXPECT_EQ(judge(record).preferred_share, 1);
}

TEST(Placement, SaysThatACpuRunnerMeasuredNothingOfIt) {
  Record record = full_record();
  record.runner = "cpu";
  record.units.erase("cpu+ane");
  EXPECT_EQ(judge(record).placement, Placement::kUnmeasured);
  EXPECT_EQ(judge(record).reason,
            "the ANE was not allowed in any run; the numbers on the CPU are right, 60.0 dB");
  record.units["cpu"].numerics->snr_db = 3;
  EXPECT_EQ(judge(record).reason,
            "the ANE was not allowed in any run; the numbers on the CPU are wrong, 3.0 dB");
  record.outcome = Outcome::kCrash;
  EXPECT_EQ(judge(record).placement, Placement::kUnmeasured);
}

TEST(Placement, HoldsPredictionsAgainstPlans) {
  Record record = full_record();
  record.units["cpu+ane"].ops.push_back(
      {.op = "ios18.gather", .output = "g", .supported = {"cpu"}, .preferred = "cpu"});
  const Prediction predictions[] = {{"no-kernel", "g"},
                                    {"no-kernel", "y"},
                                    {"wide", "elsewhere"},
                                    {"no-kernel", "g", "main"},
                                    {"other", "g", "decode"}};
  const auto by_rule = compare(predictions, std::span(&record, 1));
  EXPECT_EQ(by_rule.at("no-kernel").agrees, 2);
  EXPECT_EQ(by_rule.at("other").silent, 1);
  EXPECT_EQ(by_rule.at("no-kernel").contradicts, 1);
  EXPECT_EQ(by_rule.at("wide").silent, 1);
}

TEST(Placement, FindsRecordsThatContradictThemselves) {
  EXPECT_EQ(inconsistencies(full_record()), std::vector<std::string>{});
  Record record = full_record();
  record.runner = "cpu";
  record.exit_signal = 11;
  Units& ane = record.units["cpu+ane"];
  ane.cold_load->outcome = Outcome::kError;
  ane.latency.steady_p95_seconds = 0.0001;
  ane.footprint.peak_bytes = 1;
  EXPECT_EQ(
      inconsistencies(record),
      (std::vector<std::string>{"the outcome is ok, and a signal ended the process",
                                "the runner cpu cannot have measured with the ANE allowed",
                                "cpu+ane: predicted though it could not be loaded",
                                "cpu+ane: the median passes the 95th percentile",
                                "cpu+ane: the footprint at its peak is below that after loading"}));
}

}  // namespace
}  // namespace anemone::evidence
