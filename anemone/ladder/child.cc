#include "anemone/ladder/child.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "anemone/base/error.h"
#include "anemone/base/version.h"
#include "anemone/coreml/machine.h"
#include "anemone/ladder/process.h"

namespace anemone::ladder {
namespace {

namespace fs = std::filesystem;
using evidence::Outcome;

// Shells give a signal's number above this as an exit status.
constexpr int kShellSignal = 128;
constexpr std::size_t kLogLines = 400;

evidence::Machine this_machine() {
  const coreml::Machine machine = coreml::describe_machine();
  return {.model = machine.model,
          .chip = machine.chip,
          .os = machine.os,
          .os_version = machine.os_version,
          .os_build = machine.os_build,
          .memory_bytes = machine.memory_bytes,
          .processors = machine.processors,
          .is_virtual = machine.is_virtual};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  if (lines.size() > kLogLines) {
    const std::size_t left_out = lines.size() - kLogLines;
    const auto middle = lines.begin() + kLogLines / 2;
    lines.erase(middle, middle + static_cast<std::ptrdiff_t>(left_out));
    lines.insert(lines.begin() + kLogLines / 2,
                 "... " + std::to_string(left_out) + " lines left out ...");
  }
  return lines;
}

Outcome outcome_of_signal(int signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP
             ? Outcome::kKilled
             : Outcome::kCrash;
}

// For what a runner leaves behind until the process has ended.
fs::path scratch_folder(const fs::path& output) {
  return output.parent_path() / ".running.scratch";
}

// What a process's end says of its record.
void judge_ending(const Ending& ending, evidence::Record& record) {
  record.seconds = ending.seconds;
  record.exit_status = ending.status;
  record.exit_signal = ending.signal;
  record.log = lines_of(ending.said);
  if (ending.timed_out) {
    record.outcome = Outcome::kHang;
  } else if (ending.signal) {
    record.outcome = outcome_of_signal(*ending.signal);
  } else if (*ending.status > kShellSignal) {
    record.exit_signal = *ending.status - kShellSignal;
    record.outcome = outcome_of_signal(*record.exit_signal);
  } else if (*ending.status == exit_status(Code::kNoSpace)) {
    record.outcome = Outcome::kNoSpace;
  } else if (*ending.status != 0) {
    record.outcome = Outcome::kError;
  }
}

// Overwrites one line in place: a process that dies leaves the old one or the new one.
class StepsFile {
 public:
  explicit StepsFile(const fs::path& path)
      : path_(path), file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (file_ < 0) fail();
  }
  ~StepsFile() { ::close(file_); }
  StepsFile(const StepsFile&) = delete;
  StepsFile& operator=(const StepsFile&) = delete;

  void write(std::string_view units, std::int64_t done) {
    std::string line = std::string(units) + " " + std::to_string(done);
    line.resize(kLineBytes - 1, ' ');
    line += '\n';
    if (::pwrite(file_, line.data(), line.size(), 0) != static_cast<ssize_t>(line.size())) fail();
  }

 private:
  static constexpr std::size_t kLineBytes = 40;

  [[noreturn]] void fail() const {
    const int reason = errno;
    throw Error(reason == ENOSPC ? Code::kNoSpace : Code::kIo,
                path_.string() + ": cannot be written: " + std::strerror(reason));
  }

  fs::path path_;
  int file_;
};

// Of a process that did not end well: the step at which that was.
void take_steps(const fs::path& file, evidence::Record& record) {
  const std::int64_t steps = record.steps.value_or(kDefaultSteps);
  std::string choice;
  std::int64_t done = 0;
  std::ifstream stream(file);
  const bool is_known =
      stream >> choice >> done && done > 0 && done <= steps &&
      std::count(std::begin(evidence::kUnits), std::end(evidence::kUnits), choice) > 0;
  if (is_known) record.units[choice].steps_done = done;
  for (auto& [name, units] : record.units) {
    if (units.failed_step || units.steps_done.value_or(steps) >= steps) continue;
    units.failed_step = *units.steps_done + 1;
  }
}

// What the child wrote, as far as it got.
void take_output(const fs::path& output, const Ending& ending, evidence::Record& record) {
  const std::int64_t steps = record.steps.value_or(kDefaultSteps);
  std::string why;
  try {
    const evidence::Document written = evidence::load_document(output);
    const bool is_own = written.records.size() == 1 &&
                        written.records[0].experiment == record.experiment &&
                        written.records[0].form == record.form &&
                        (record.function.empty() || written.records[0].function == record.function);
    if (is_own) {
      const evidence::Package package = record.package;
      record = written.records[0];
      record.package = package;
    } else {
      why = "the child wrote another experiment's record";
    }
  } catch (const Error& error) {
    why = error.what();
  }
  record.outcome = Outcome::kOk;
  judge_ending(ending, record);
  record.steps = steps;
  if (record.outcome != Outcome::kOk) take_steps(steps_file(output), record);
  if (!why.empty() && record.outcome == Outcome::kOk) {
    record.outcome = Outcome::kGarbage;
    record.log.push_back(why);
  }
}

}  // namespace

fs::path steps_file(const fs::path& output) { return output.string() + ".steps"; }

evidence::Record new_record(const std::string& experiment, const std::string& form,
                            const std::string& runner, std::int64_t steps) {
  evidence::Record record{.experiment = experiment,
                          .form = form,
                          .measured_at = evidence::time_now(),
                          .tool = std::string("anemone ") + kVersion,
                          .runner = runner,
                          .steps = steps};
  record.machine = this_machine();
  return record;
}

void measure_in_child(const std::vector<std::string>& command, double timeout_seconds,
                      const StopFlag* stop, const fs::path& output, evidence::Record& record) {
  std::error_code ignored;
  fs::remove(output, ignored);
  fs::remove(steps_file(output), ignored);
  const Ending ending = run_process(command, timeout_seconds, stop);
  fs::remove_all(scratch_folder(output), ignored);
  take_output(output, ending, record);
  fs::remove(output, ignored);
  fs::remove(steps_file(output), ignored);
}

int measure_here(const Bench& bench, const RunnerName& runner, const fs::path& output,
                 evidence::Record record) {
  const Saved saved = [&](const evidence::Record& so_far) {
    evidence::save_document({{so_far}}, output);
  };
  StepsFile steps(steps_file(output));
  const Stepped stepped = [&](std::string_view units, std::int64_t done) {
    steps.write(units, done);
  };
  if (runner.name == "cpu") {
    measure_by_cpu(bench, record, saved, stepped);
  } else if (runner.name == "coreml") {
    measure_by_coreml(bench, scratch_folder(output), record, saved, stepped);
  } else {
    return play_script(runner.script, bench, record, saved, stepped);
  }
  return 0;
}

}  // namespace anemone::ladder
