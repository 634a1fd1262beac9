#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "anemone/base/error.h"
#include "anemone/base/thread_pool.h"
#include "anemone/cli/command.h"
#include "anemone/cli/options.h"
#include "anemone/ladder/run.h"

namespace anemone::cli {

// How functions are run and measured, each in a process of its own, as the command line says it.
struct MeasuringSettings {
  std::optional<std::string> runner = {};
  std::int64_t steps = ladder::kDefaultSteps, timeout = 1800, threads = 0;
};
void add_measuring_options(Options& options, MeasuringSettings& settings);

// Into the options of what runs them (ladder::RunOptions, ladder::RecordOptions). Throws Error if
// `command` was given no runner, or one that is not there.
template <typename RunnerOptions>
void settle_measuring(const Command& command, const MeasuringSettings& settings,
                      RunnerOptions& options) {
  if (!settings.runner) {
    throw Error(Code::kUsage, std::string(command.name) + ": --runner NAME is missing");
  }
  options.runner = ladder::parse_runner(*settings.runner);
  options.steps = settings.steps;
  options.timeout_seconds = static_cast<double>(settings.timeout);
  options.threads =
      settings.threads > 0 ? static_cast<int>(settings.threads) : ThreadPool::available();
}

}  // namespace anemone::cli
