#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "anemone/base/progress.h"
#include "anemone/evidence/evidence.h"
#include "anemone/ladder/ladder.h"

namespace anemone::ladder {

// Who runs experiments: "cpu", "coreml", or "scripted" with a file.
struct RunnerName {
  std::string name = {};
  std::filesystem::path script = {};
};
// "cpu", "coreml", "scripted:FILE". Throws Error(kUsage); Error(kUnsupported) for coreml where
// there is none.
RunnerName parse_runner(std::string_view text);
// The same text again.
std::string to_string(const RunnerName& runner);

// What a child gets has six parts, its steps last. Throws Error(kUsage) otherwise.
std::int64_t child_steps(const std::vector<std::string>& arguments);

inline constexpr std::int64_t kDefaultSteps = 20;

struct RunOptions {
  std::filesystem::path folder;
  RunnerName runner = {};
  bool only_next = false;  // the one experiment that decides most
  double timeout_seconds = 1800;
  // Predictions after the first, all on one state. What was recorded with fewer is run again.
  std::int64_t steps = kDefaultSteps;
  int threads = 1;
  // How a child is started: the tool itself, up to what child_arguments gives.
  std::vector<std::string> command = {};
  // Told of each record, when the next one begins.
  std::function<void(const evidence::Record&)> done = {};
  Progress progress = {};
  const StopFlag* stop = nullptr;
};

struct RunReport {
  std::size_t ran = 0;                    // children
  std::size_t resumed = 0;                // that were there from an earlier run
  std::size_t failed = 0;                 // that did not end well
  std::vector<std::string> unsaved = {};  // records that could not be written, with why
};

// Runs what has not been run: first what leads to the base, then what the search asks for, then the
// rest. Whatever a child does is a record; only what is wrong with the ladder is thrown.
RunReport run(const RunOptions& options);

// What a runner recorded so far.
std::vector<evidence::Record> load_records(const std::filesystem::path& folder,
                                           std::string_view runner);

// The child's part: measures one form and writes its record to `output` after every stage, and how
// many steps are done to steps_file(output) after every step. Its arguments follow the command of
// RunOptions.
struct ChildJob {
  std::filesystem::path folder = {};
  std::string experiment = {};
  std::string form = {};
  RunnerName runner = {};
  std::filesystem::path output = {};
  std::int64_t steps = kDefaultSteps;
};
std::vector<std::string> child_arguments(const ChildJob& job);
ChildJob parse_child_arguments(const std::vector<std::string>& arguments);
// What a child process does. Returns the status to exit with.
int run_child(const ChildJob& job);

// Holds one line, "UNITS DONE", as in "cpu+ane 136": as good as free to write, unlike a record.
std::filesystem::path steps_file(const std::filesystem::path& output);

}  // namespace anemone::ladder
