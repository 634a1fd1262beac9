#include "anemone/ladder/run.h"

#include <algorithm>
#include <charconv>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/coreml/coreml.h"
#include "anemone/ladder/build.h"
#include "anemone/ladder/child.h"
#include "anemone/ladder/measure.h"
#include "anemone/ladder/verdict.h"

namespace anemone::ladder {
namespace {

namespace fs = std::filesystem;
using evidence::Outcome;

constexpr std::string_view kScripted = "scripted:";
fs::path record_file(const fs::path& folder, std::string_view runner, std::string_view experiment,
                     std::string_view form) {
  return folder / "evidence" / runner /
         (std::string(experiment) + "." + std::string(form) + ".json");
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(Code::kIo, folder.string() + ": " + error.message());
}

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
    evidence::Record record = new_record(id, form, options_.runner.name, options_.steps);
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
    std::vector<std::string> command = options_.command;
    for (std::string& word : child_arguments({.folder = options_.folder,
                             .experiment = record.experiment,
                             .form = record.form,
                             .runner = options_.runner,
                             .output = output,
                             .steps = options_.steps})) {
      command.push_back(std::move(word));
    }
    measure_in_child(command, options_.timeout_seconds, options_.stop, output, record);
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

std::string to_string(const RunnerName& runner) {
  return runner.script.empty() ? runner.name : runner.name + ":" + runner.script.string();
}

std::int64_t child_steps(const std::vector<std::string>& arguments) {
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
  return steps;
}

std::vector<std::string> child_arguments(const ChildJob& job) {
  return {job.folder.string(),   job.experiment,      job.form,
          to_string(job.runner), job.output.string(), std::to_string(job.steps)};
}

ChildJob parse_child_arguments(const std::vector<std::string>& arguments) {
  const std::int64_t steps = child_steps(arguments);
  return {.folder = arguments[0],
          .experiment = arguments[1],
          .form = arguments[2],
          .runner = parse_runner(arguments[3]),
          .output = arguments[4],
          .steps = steps};
}

int run_child(const ChildJob& job) {
  const Ladder ladder = load_ladder(job.folder);
  const Experiment* experiment = ladder.find(job.experiment);
  if (experiment == nullptr || experiment->forms.count(job.form) == 0) {
    throw Error(Code::kNotFound, job.folder.string() + ": has no experiment '" + job.experiment +
                                     "' in the form '" + job.form + "'");
  }
  evidence::Record record = new_record(job.experiment, job.form, job.runner.name, job.steps);
  const Files& files = experiment->forms.at(job.form);
  record.package = {.name = fs::path(files.package).filename().string(), .hash = "none: running"};
  return measure_here(load_bench(job.folder, files), job.runner, job.output, std::move(record));
}

}  // namespace anemone::ladder
