#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anemone/base/progress.h"

namespace anemone::ladder {

// How a child process ended.
struct Ending {
  bool timed_out = false;  // and so it was killed
  std::optional<int> status = {};
  std::optional<int> signal = {};
  double seconds = 0;
  std::string said = {};  // on stdout and stderr; the middle is left out of very long ones
};

// Runs a program to its end, or kills it and its children after `timeout_seconds`, or when `stop`
// is set (and then throws Error(kInterrupted)). Whatever it does is an Ending; throws Error(kIo)
// only if the system gives no process, or cannot run the program.
Ending run_process(const std::vector<std::string>& command, double timeout_seconds,
                   const StopFlag* stop = nullptr);

}  // namespace anemone::ladder
