#include "anemone/ladder/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/ladder/build.h"
#include "anemone/ladder/measure.h"
#include "anemone/ladder/process.h"
#include "anemone/ladder/verdict.h"
#include "anemone/testing/message_of.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::ladder {
namespace {

namespace fs = std::filesystem;
using evidence::Outcome;

Ending shell(const std::string& script, double timeout_seconds = 20) {
  return run_process({"/bin/sh", "-c", script}, timeout_seconds);
}

TEST(Process, TellsHowAProcessEndedAndWhatItSaid) {
  const Ending well = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(well.status, 3);
  EXPECT_EQ(well.said, "out\nerr\n");
  EXPECT_FALSE(well.timed_out);
  EXPECT_EQ(shell("kill -SEGV $$").signal, SIGSEGV);
  EXPECT_EQ(anemone::testing::message_of([] { run_process({"/no/such/program"}, 20); }),
            "io: /no/such/program: cannot be run: No such file or directory");
}

TEST(Process, EndsOneThatHangsWithWhatItStarted) {
  const Ending hung = shell("echo started; sleep 60 & sleep 60", 0.3);
  EXPECT_TRUE(hung.timed_out);
  EXPECT_EQ(hung.signal, SIGKILL);
  EXPECT_EQ(hung.said, "started\n");
  EXPECT_LT(hung.seconds, 10);
  // Nor is it held up by a child's child that keeps the pipe.
  EXPECT_EQ(shell("sleep 60 & exit 0").status, 0);
}

TEST(Process, KeepsBothEndsOfALongSpeech) {
  const Ending loud = shell("echo first; yes | head -c 2000000; echo last");
  EXPECT_EQ(loud.status, 0);
  EXPECT_LT(loud.said.size(), 300'000u);
  EXPECT_TRUE(loud.said.starts_with("first\n"));
  EXPECT_TRUE(loud.said.ends_with("last\n"));
  EXPECT_THAT(loud.said, ::testing::HasSubstr(" bytes left out ..."));
}

TEST(Process, EndsWhenTheUserAsksToStop) {
  StopFlag stop;
  stop.set();
  EXPECT_EQ(anemone::testing::message_of([&] {
              run_process({"/bin/sleep", "60"}, 60, &stop);
            }),
            "interrupted: stopped while an experiment ran");
}

class Run : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new anemone::testing::TempDir;
    BuildOptions options{.checkpoint = ANEMONE_MODELS_DIR "/tiny-qwen3",
                         .output = *folder_ / "steps",
                         .sizes = {.hidden = 16, .context = 64, .layers = 1, .rows = 8}};
    options.sizes.filled_bytes = 0;
    options.only = {"norm-concat", "norm-plain", "rope", "scores", "qk-norm", "norm-prescaled"};
    build(options);
  }
  static void TearDownTestSuite() { delete folder_; }
  void SetUp() override { fs::remove_all(steps() / "evidence"); }

  static fs::path steps() { return *folder_ / "steps"; }
  static fs::path script(const std::string& text) {
    write_file(*folder_ / "script.json", text);
    return *folder_ / "script.json";
  }

  // Children that are shell scripts: $2 is the experiment, $5 the record's file.
  static RunOptions options(const std::string& shell_script) {
    return {.folder = steps(),
            .runner = {.name = "cpu"},
            .timeout_seconds = 1,
            .command = {"/bin/sh", "-c", shell_script, "child"}};
  }
  static evidence::Record record(const std::string& id) {
    return evidence::load_document(steps() / "evidence/cpu" / (id + ".tiny.json")).records.at(0);
  }

  static anemone::testing::TempDir* folder_;
};
anemone::testing::TempDir* Run::folder_ = nullptr;

TEST_F(Run, RecordsWhateverAChildDoesAndGoesOn) {
  const std::string no_space = std::to_string(exit_status(Code::kNoSpace));
  const RunReport report =
      run(options("case $2 in mlp) echo oops >&2; kill -ABRT $$;; norm-concat) kill -KILL $$;; "
                  "rope) exec sleep "
                  "60;; scores) echo refused >&2; exit 3;; norm-plain) echo '{' > \"$5\"; exit 0;; "
                  "qk-norm) exit "
                  "137;; *) exit " +
                  no_space + ";; esac"));
  EXPECT_EQ(report.ran, 7u);
  EXPECT_EQ(report.failed, 7u);
  EXPECT_EQ(record("mlp").outcome, Outcome::kCrash);
  EXPECT_EQ(record("mlp").exit_signal, SIGABRT);
  EXPECT_EQ(record("mlp").log, std::vector<std::string>{"oops"});
  EXPECT_EQ(record("norm-concat").outcome, Outcome::kKilled);
  EXPECT_EQ(record("rope").outcome, Outcome::kHang);
  EXPECT_EQ(record("scores").outcome, Outcome::kError);
  EXPECT_EQ(record("scores").exit_status, 3);
  EXPECT_EQ(record("norm-plain").outcome, Outcome::kGarbage);
  EXPECT_EQ(record("qk-norm").outcome, Outcome::kKilled);
  EXPECT_EQ(record("qk-norm").exit_signal, SIGKILL);
  EXPECT_EQ(record("norm-prescaled").outcome, Outcome::kNoSpace);
  EXPECT_EQ(record("mlp").package.name, "mlp.mlpackage");
  EXPECT_TRUE(record("mlp").package.hash.starts_with("xxh3-128:"));

  const RunReport again = run(options("exit 0"));
  EXPECT_EQ(again.ran, 0u);
  EXPECT_EQ(again.resumed, 7u);
}

// Children that really die, or hang, at a step of a long run.
TEST_F(Run, RecordsTheStepAtWhichALongRunEnded) {
  const fs::path good = *folder_ / "good.json";
  evidence::Record begun{.experiment = "ID",
                         .form = "tiny",
                         .measured_at = "now",
                         .tool = "t",
                         .runner = "cpu",
                         .machine = {.chip = "c", .os = "o", .os_version = "1"},
                         .package = {"p", "none: running", 1},
                         .steps = 500};
  begun.units["cpu"] = evidence::Units{.state_bytes = 4096, .steps_done = 0};
  evidence::save_document({{begun}}, good);
  RunOptions soak = options(
      "sed \"s/ID/$2/\" '" + good.string() +
      "' > \"$5\"; [ $6 = 500 ] || exit 9; "
      "case $2 in scores) exit 3;; esac; echo 'cpu 136' > \"$5.steps\"; "
      "case $2 in mlp) kill -ABRT $$;; norm-concat) kill -KILL $$;; rope) exec sleep 60;; "
      "norm-plain) echo 'npu -7' > \"$5.steps\"; exit 3;; qk-norm) exit 3;; *) exit 0;; esac");
  soak.steps = 500;
  soak.timeout_seconds = 3;
  EXPECT_EQ(run(soak).ran, 7u);
  const std::pair<const char*, Outcome> ended[] = {{"mlp", Outcome::kCrash},
                                                   {"norm-concat", Outcome::kKilled},
                                                   {"rope", Outcome::kHang},
                                                   {"qk-norm", Outcome::kError}};
  for (const auto& [id, outcome] : ended) {
    const evidence::Record found = record(id);
    EXPECT_EQ(found.outcome, outcome) << id;
    EXPECT_EQ(found.steps, 500) << id;
    EXPECT_EQ(found.units.at("cpu").steps_done, 136) << id;
    EXPECT_EQ(found.units.at("cpu").failed_step, 137) << id;
    EXPECT_EQ(found.units.at("cpu").state_bytes, 4096u) << id;
    const std::string hash =
        evidence::describe_package(steps() / "packages/tiny" / (std::string(id) + ".mlpackage"))
            .hash;
    EXPECT_EQ(found.package.hash, hash) << id;
    EXPECT_THAT(
        evidence::describe(found),
        ::testing::AllOf(::testing::HasSubstr(", at step 137 of 500 under cpu, state 4096 bytes\n"),
                         ::testing::HasSubstr(hash)));
  }
  // Before a step was done; where the count cannot be read.
  EXPECT_EQ(record("scores").units.at("cpu").failed_step, 1);
  EXPECT_EQ(record("norm-plain").units.at("cpu").failed_step, 1);
  EXPECT_EQ(record("norm-prescaled").units.at("cpu").failed_step, std::nullopt);
  EXPECT_FALSE(fs::exists(steps() / "evidence/cpu/.running.json.steps"));

  const std::string text = to_text(conclude(load_ladder(steps()), load_records(steps(), "cpu")));
  EXPECT_THAT(text, ::testing::HasSubstr("the process: crash, signal 6, at step 137 of 500 under "
                                         "cpu, state 4096 bytes, package xxh3-128:"));
  // Fewer steps say no more; more of them are another measurement.
  EXPECT_EQ(run(options("exit 0")).ran, 0u);
  soak.steps = 501;
  soak.only_next = true;
  EXPECT_EQ(run(soak).resumed, 0u);
}

TEST_F(Run, RunsOnlyTheNextOneIfAsked) {
  RunOptions one = options("exit 1");
  one.only_next = true;
  EXPECT_EQ(run(one).ran, 1u);
  EXPECT_EQ(record("mlp").outcome, Outcome::kError);
  EXPECT_EQ(run(one).resumed, 1u);
}

TEST_F(Run, GoesOnWhereRecordsCannotBeKept) {
  // A file where the folder should be, as good as a disk that takes nothing.
  fs::create_directories(steps() / "evidence");
  write_file(steps() / "evidence/cpu", "in the way");
  std::vector<Outcome> outcomes;
  RunOptions blocked = options("exit 0");
  blocked.done = [&](const evidence::Record& record) { outcomes.push_back(record.outcome); };
  const RunReport report = run(blocked);
  EXPECT_EQ(report.ran, 7u);
  EXPECT_EQ(report.unsaved.size(), 7u);
  EXPECT_EQ(outcomes, std::vector<Outcome>(7, Outcome::kError));
}

TEST_F(Run, SaysThatTheChildItselfCannotBeRun) {
  RunOptions none = options("");
  none.command = {"/no/such/program"};
  none.only_next = true;
  EXPECT_EQ(run(none).failed, 1u);
  EXPECT_EQ(record("mlp").outcome, Outcome::kError);
  EXPECT_EQ(record("mlp").log,
            std::vector<std::string>{"/no/such/program: cannot be run: No such file or directory"});
}

TEST_F(Run, TheCpuRunnerMeasuresNumbersAndNoPlacement) {
  const fs::path output = *folder_ / "record.json";
  for (const char* id : {"mlp", "norm-concat", "norm-plain", "rope", "scores"}) {
    run_child({.folder = steps(),
               .experiment = id,
               .form = "tiny",
               .runner = {.name = "cpu"},
               .output = output});
    const evidence::Record record = evidence::load_document(output).records.at(0);
    const evidence::Units& cpu = record.units.at("cpu");
    EXPECT_TRUE(cpu.numerics->passed()) << id << ' ' << cpu.numerics->snr_db;
    EXPECT_LT(cpu.numerics->snr_db, 120) << id;  // fp16 against fp32
    EXPECT_EQ(cpu.latency.steady_count, 20);
    EXPECT_EQ(cpu.steps_done, 20);
    EXPECT_EQ(cpu.state_bytes, 0u);
    EXPECT_TRUE(read_text(steps_file(output)).starts_with("cpu 20 "));
    EXPECT_LE(*cpu.latency.steady_p50_seconds, *cpu.latency.steady_p95_seconds);
    EXPECT_EQ(record.units.size(), 1u);
  }
}

TEST_F(Run, TheScriptedRunnerPlaysItsFile) {
  const fs::path output = *folder_ / "record.json";
  const fs::path file = script(R"({"experiments": {"mlp": {"does": "off-ane"},
                                   "mlp/filled": {"does": "crash"}, "rope": {"does": "error"}}})");
  const auto play = [&](const char* id) {
    run_child({.folder = steps(),
               .experiment = id,
               .form = "tiny",
               .runner = {.name = "scripted", .script = file},
               .output = output});
  };
  play("mlp");
  const evidence::Record record = evidence::load_document(output).records.at(0);
  EXPECT_EQ(record.units.at("cpu+ane").ops.at(0).preferred, "cpu");
  EXPECT_EQ(record.machine.chip, "scripted");
  EXPECT_EQ(anemone::testing::message_of([&] { play("rope"); }),
            "bad-input: the script has an error here");
  script(R"({"causes": [["range-dimm"]]})");
  EXPECT_EQ(
      anemone::testing::message_of([&] { play("mlp"); }),
      "bad-input: " + file.string() + ": a cause names \"range-dimm\", which is no hypothesis");
  script(R"({"experiments": {"mlp": {"does": "error", "at_step": 7}}})");
  EXPECT_EQ(anemone::testing::message_of([&] { play("mlp"); }),
            "bad-input: the script has an error here");
  const evidence::Record begun = evidence::load_document(output).records.at(0);
  EXPECT_EQ(begun.units.at("cpu").steps_done, 20);
  EXPECT_EQ(begun.units.at("cpu+ane").steps_done, 0);
  EXPECT_TRUE(read_text(steps_file(output)).starts_with("cpu+ane 6 "));
  script(R"({"experiments": {"mlp": {"does": "error", "at_step": 21}}})");
  play("mlp");
  EXPECT_EQ(evidence::load_document(output).records.at(0).units.at("cpu+ane").steps_done, 20);
  script(R"({"experiments": {"mlp": {"does": "error", "at_step": 0}}})");
  EXPECT_EQ(anemone::testing::message_of([&] { play("mlp"); }),
            "bad-input: the script has an error here");
  const evidence::Record loaded = evidence::load_document(output).records.at(0);
  EXPECT_TRUE(loaded.units.at("cpu").predict.has_value());
  EXPECT_TRUE(loaded.units.at("cpu+ane").cold_load.has_value());
  EXPECT_FALSE(loaded.units.at("cpu+ane").predict.has_value());
  script(R"({"experiments": {"mlp": {"does": "crash", "at_step": -1}}})");
  EXPECT_EQ(anemone::testing::message_of([&] { play("mlp"); }),
            "bad-input: " + file.string() + ": mlp.at_step: found -1; allowed: 0 and more");
  script(R"({"experiments": {"mlp": {"does": "exits"}}})");
  EXPECT_EQ(anemone::testing::message_of([&] { play("mlp"); }),
            "bad-input: " + file.string() + ": mlp: 'exits' needs a 'status'");
  script(R"({"experiments": {"mlp": {"does": "exits", "status": 256}}})");
  EXPECT_EQ(anemone::testing::message_of([&] { play("mlp"); }),
            "bad-input: " + file.string() + ": mlp.status: found 256; allowed: 1 to 255");
  script(R"({"experiments": {"mlp": {"does": "runs", "status": 3}}})");
  EXPECT_EQ(anemone::testing::message_of([&] { play("mlp"); }),
            "bad-input: " + file.string() + ": mlp: 'status' goes with 'exits' alone");
  script(R"({"experiments": {"mlp": {"does": "wrong", "at_step": 3}}})");
  EXPECT_EQ(
      anemone::testing::message_of([&] { play("mlp"); }),
      "bad-input: " + file.string() +
          ": mlp: 'wrong' takes no at_step; allowed: crash, killed, hang, error, no-space, exits");
  script(R"({"experiments": {"mlp": {"does": "nothing"}}})");
  EXPECT_THAT(anemone::testing::message_of([&] { play("mlp"); }),
              ::testing::HasSubstr("mlp: found 'nothing'; allowed: runs, placed, planned"));
}

TEST_F(Run, AChildRefusesWhatTheLadderDoesNotHave) {
  EXPECT_EQ(anemone::testing::message_of([&] {
              run_child({.folder = steps(),
                         .experiment = "block",
                         .form = "tiny",
                         .runner = {.name = "cpu"},
                         .output = "x"});
            }),
            "not-found: " + steps().string() + ": has no experiment 'block' in the form 'tiny'");
}

TEST(Compare, CountsWhatIsNotFiniteAndMeasuresTheRest) {
  const std::map<std::string, Tensor, std::less<>> golden = {
      {"y", Tensor::from_floats(DType::kF32, {4}, std::vector<float>{1, 2, 3, 4})}};
  const auto against = [&](std::vector<float> found) {
    return compare(golden, {{"y", std::move(found)}});
  };
  EXPECT_EQ(against({1, 2, 3, 4}).snr_db, 200);
  EXPECT_TRUE(against({1, 2, 3, 4}).passed());
  const evidence::Numerics near = against({1, 2, 3, 4.3f});
  EXPECT_NEAR(near.snr_db, 10 * std::log10(30 / 0.09), 1e-4);
  EXPECT_NEAR(near.max_abs_error, 0.3, 1e-6);
  EXPECT_FALSE(near.passed());
  EXPECT_EQ(against({1, std::nanf(""), 3, 4}).not_finite, 1);
  EXPECT_FALSE(against({1, std::nanf(""), 3, 4}).passed());
  EXPECT_EQ(against({1, 2}).not_finite, 2);  // too few
  EXPECT_EQ(compare(golden, {}).not_finite, 4);
}

TEST(Ladder, RefusesAFileThatItDoesNotKnow) {
  const anemone::testing::TempDir folder;
  const auto complaint = [&](const std::string& text) {
    write_file(folder / "ladder.json", text);
    return anemone::testing::message_of([&] { load_ladder(folder.path()); });
  };
  const std::string at = "bad-input: " + (folder / "ladder.json").string() + ": ";
  EXPECT_EQ(complaint(R"({"format": "x"})"), at + "is no ladder");
  EXPECT_EQ(complaint(R"({"format": "anemone-ladder", "version": 2})"),
            at + "has version 2; allowed: 1");
  const std::string rest =
      R"({"format": "anemone-ladder", "version": 1, "tool": "", "checkpoint": "", "weights": "",
          "sizes": {"hidden": 16, "context": 64, "layers": 1, "rows": 8, "filled_bytes": 0},
          "experiments": [{"says": "", "prerequisites": [], )";
  EXPECT_EQ(complaint(rest + R"("id": "mill"}]})"),
            at + "has an experiment 'mill' that this version does not know");
  EXPECT_EQ(complaint(rest + R"("id": "mlp", "forms": {"tiny": {"package": "../x", "inputs": "i",
            "outputs": "o"}}}]})"),
            at + "experiment 'mlp' has a path '../x' that leads out of the folder");
}

}  // namespace
}  // namespace anemone::ladder
