#include "anemone/ladder/run.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/base/version.h"
#include "anemone/coreml/coreml.h"
#include "anemone/coreml/machine.h"
#include "anemone/ladder/build.h"
#include "anemone/ladder/measure.h"
#include "anemone/ladder/process.h"
#include "anemone/ladder/verdict.h"

namespace anemone::ladder {
namespace {

namespace fs = std::filesystem;
using evidence::Outcome;

constexpr std::string_view kScripted = "scripted:";
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

fs::path record_file(const fs::path& folder, std::string_view runner, std::string_view experiment,
                     std::string_view form) {
  return folder / "evidence" / runner /
         (std::string(experiment) + "." + std::string(form) + ".json");
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

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(Code::kIo, folder.string() + ": " + error.message());
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

class Climb {
 public:
  explicit Climb(const RunOptions& options)
      : options_(options),
        ladder_(load_ladder(options.folder)),
        records_(load_records(options.folder, options.runner.name)) {
    records_.erase(std::remove_if(records_.begin(), records_.end(),
                                  [&](const evidence::Record& record) {
                                    return record.steps.value_or(kDefaultSteps) < options.steps;
                                  }),
                   records_.end());
    report_.resumed = records_.size();
  }

  RunReport run() {
    while (const auto next = conclude(ladder_, records_).next) {
      if (options_.stop != nullptr) options_.stop->throw_if_set();
      run_experiment(*next);
      if (options_.only_next) break;
    }
    return std::move(report_);
  }

 private:
  void run_experiment(const std::string& id) {
    const Experiment* listed = ladder_.find(id);
    if (listed == nullptr) {
      ladder_.experiments.push_back(mixture(id));
      listed = &ladder_.experiments.back();
    }
    std::vector<std::string> forms;
    for (const auto& [form, files] : listed->forms) forms.push_back(form);
    if (forms.empty()) {
      for (const std::string_view form : kForms) {
        if (form == kForms[0] || ladder_.sizes.filled_bytes > 0) forms.emplace_back(form);
      }
    }
    std::sort(forms.rbegin(), forms.rend());  // "tiny" before "filled"
    for (const std::string& form : forms) {
      const bool is_done = std::any_of(records_.begin(), records_.end(), [&](const auto& record) {
        return record.experiment == id && record.form == form;
      });
      if (!is_done) run_form(id, form);
    }
  }

  void run_form(const std::string& id, const std::string& form) {
    if (options_.progress) options_.progress(id + ", " + form, report_.ran, 0);
    evidence::Record record{.experiment = id,
                            .form = form,
                            .measured_at = evidence::time_now(),
                            .tool = std::string("anemone ") + kVersion,
                            .runner = options_.runner.name,
                            .steps = options_.steps};
    record.machine = this_machine();
    record.package = {.name = id + ".mlpackage", .hash = "none: it was not made"};
    try {
      make_if_missing(id, form);
      record.package = evidence::describe_package(options_.folder / files_of(id, form).package);
      run_child_process(record);
    } catch (const Error& error) {
      // A full disk, say: that experiment's outcome, not the end of the others.
      if (error.code() == Code::kInterrupted) throw;
      record.outcome = error.code() == Code::kNoSpace ? Outcome::kNoSpace : Outcome::kError;
      record.log.push_back(error.what());
    }
    ++report_.ran;
    report_.failed += record.outcome != Outcome::kOk;
    keep(record);
  }

  const Files& files_of(const std::string& id, const std::string& form) const {
    return ladder_.find(id)->forms.at(form);
  }

  void make_if_missing(const std::string& id, const std::string& form) {
    for (Experiment& experiment : ladder_.experiments) {
      if (experiment.id != id || experiment.forms.count(form) > 0) continue;
      if (workshop_ == nullptr) {
        workshop_ = std::make_unique<Workshop>(options_.folder, ladder_.sizes, options_.threads);
      }
      experiment.forms[form] = workshop_->make(experiment, form);
      save_ladder(ladder_, options_.folder);
    }
  }

  void run_child_process(evidence::Record& record) {
    const fs::path folder = options_.folder / "evidence" / options_.runner.name;
    make_folder(folder);
    const fs::path output = folder / ".running.json";
    const fs::path scratch = folder / ".running.scratch";
    std::error_code ignored;
    fs::remove(output, ignored);
    fs::remove(steps_file(output), ignored);
    std::vector<std::string> command = options_.command;
    for (std::string& word : child_arguments({.folder = options_.folder,
                             .experiment = record.experiment,
                             .form = record.form,
                             .runner = options_.runner,
                             .output = output,
                             .steps = options_.steps})) {
      command.push_back(std::move(word));
    }
    const Ending ending = run_process(command, options_.timeout_seconds, options_.stop);
    fs::remove_all(scratch, ignored);
    take_output(output, ending, record);
    fs::remove(output, ignored);
    fs::remove(steps_file(output), ignored);
  }

  // What the child wrote, as far as it got.
  void take_output(const fs::path& output, const Ending& ending, evidence::Record& record) const {
    std::string why;
    try {
      const evidence::Document written = evidence::load_document(output);
      const bool is_own = written.records.size() == 1 &&
                          written.records[0].experiment == record.experiment &&
                          written.records[0].form == record.form;
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
    record.steps = options_.steps;
    if (record.outcome != Outcome::kOk) take_steps(steps_file(output), record);
    if (!why.empty() && record.outcome == Outcome::kOk) {
      record.outcome = Outcome::kGarbage;
      record.log.push_back(why);
    }
  }

  // Of a process that did not end well: the step at which that was.
  void take_steps(const fs::path& file, evidence::Record& record) const {
    std::string choice;
    std::int64_t done = 0;
    std::ifstream stream(file);
    const bool is_known =
        stream >> choice >> done && done > 0 && done <= options_.steps &&
        std::count(std::begin(evidence::kUnits), std::end(evidence::kUnits), choice) > 0;
    if (is_known) record.units[choice].steps_done = done;
    for (auto& [name, units] : record.units) {
      if (units.failed_step || units.steps_done.value_or(options_.steps) >= options_.steps)
        continue;
      units.failed_step = *units.steps_done + 1;
    }
  }

  void keep(const evidence::Record& record) {
    const fs::path file =
        record_file(options_.folder, options_.runner.name, record.experiment, record.form);
    try {
      make_folder(file.parent_path());
      evidence::save_document({{record}}, file);
    } catch (const Error& error) {
      report_.unsaved.push_back(error.what());
    }
    records_.push_back(record);
    if (options_.done) options_.done(record);
  }

  const RunOptions& options_;
  Ladder ladder_;
  std::vector<evidence::Record> records_;
  std::unique_ptr<Workshop> workshop_;
  RunReport report_;
};

}  // namespace

RunnerName parse_runner(std::string_view text) {
  if (text == "cpu") return {.name = "cpu"};
  if (text == "coreml") {
    coreml::require_available();
    return {.name = "coreml"};
  }
  if (text.starts_with(kScripted) && text.size() > kScripted.size()) {
    return {.name = "scripted", .script = std::string(text.substr(kScripted.size()))};
  }
  throw Error(Code::kUsage,
              "--runner '" + std::string(text) + "': allowed are cpu, coreml and scripted:FILE");
}

RunReport run(const RunOptions& options) {
  ANEMONE_CHECK(!options.command.empty());
  if (!options.runner.script.empty()) load_json(options.runner.script);  // refuses before all work
  return Climb(options).run();
}

std::vector<evidence::Record> load_records(const fs::path& folder, std::string_view runner) {
  std::vector<evidence::Record> records;
  const fs::path from = folder / "evidence" / runner;
  std::error_code absent;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(from, absent)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json") && name.front() != '.') files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    for (evidence::Record& record : evidence::load_document(file).records) {
      records.push_back(std::move(record));
    }
  }
  return records;
}

std::vector<std::string> child_arguments(const ChildJob& job) {
  std::string runner = job.runner.name;
  if (!job.runner.script.empty()) runner += ":" + job.runner.script.string();
  return {job.folder.string(), job.experiment,           job.form, runner,
          job.output.string(), std::to_string(job.steps)};
}

ChildJob parse_child_arguments(const std::vector<std::string>& arguments) {
  if (arguments.size() != 6) {
    throw Error(Code::kUsage,
                "a child takes 6 arguments; it got " + std::to_string(arguments.size()));
  }
  std::int64_t steps = 0;
  const std::string& text = arguments[5];
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), steps);
  if (error != std::errc() || end != text.data() + text.size() || steps < 1) {
    throw Error(Code::kUsage, "a child's steps are '" + text + "'; allowed: 1 and more");
  }
  return {.folder = arguments[0],
          .experiment = arguments[1],
          .form = arguments[2],
          .runner = parse_runner(arguments[3]),
          .output = arguments[4],
          .steps = steps};
}

fs::path steps_file(const fs::path& output) { return output.string() + ".steps"; }

int run_child(const ChildJob& job) {
  const Ladder ladder = load_ladder(job.folder);
  const Experiment* experiment = ladder.find(job.experiment);
  if (experiment == nullptr || experiment->forms.count(job.form) == 0) {
    throw Error(Code::kNotFound, job.folder.string() + ": has no experiment '" + job.experiment +
                                     "' in the form '" + job.form + "'");
  }
  evidence::Record record{.experiment = job.experiment,
                          .form = job.form,
                          .measured_at = evidence::time_now(),
                          .tool = std::string("anemone ") + kVersion,
                          .runner = job.runner.name,
                          .steps = job.steps};
  record.machine = this_machine();
  const Files& files = experiment->forms.at(job.form);
  record.package = {.name = fs::path(files.package).filename().string(), .hash = "none: running"};
  const Bench bench = load_bench(job.folder, files);
  const Saved saved = [&](const evidence::Record& so_far) {
    evidence::save_document({{so_far}}, job.output);
  };
  StepsFile steps(steps_file(job.output));
  const Stepped stepped = [&](std::string_view units, std::int64_t done) {
    steps.write(units, done);
  };
  if (job.runner.name == "cpu") {
    measure_by_cpu(bench, record, saved, stepped);
  } else if (job.runner.name == "coreml") {
    measure_by_coreml(bench, job.output.parent_path() / ".running.scratch", record, saved, stepped);
  } else {
    return play_script(job.runner.script, bench, record, saved, stepped);
  }
  return 0;
}

}  // namespace anemone::ladder
