#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "anemone/base/progress.h"
#include "anemone/evidence/evidence.h"
#include "anemone/ladder/measure.h"
#include "anemone/ladder/run.h"

// A measurement in a process of its own: both ends of it.
namespace anemone::ladder {

// A record of something that is about to be measured here and now.
evidence::Record new_record(const std::string& experiment, const std::string& form,
                            const std::string& runner, std::int64_t steps);

// Starts `command`, which is to measure what `record` names and to write what it finds to `output`,
// and takes that into `record` as far as it got. However the process ends is recorded; what it
// wrote is removed. Throws Error if there can be no process, or it is stopped.
void measure_in_child(const std::vector<std::string>& command, double timeout_seconds,
                      const StopFlag* stop, const std::filesystem::path& output,
                      evidence::Record& record);

// What such a process does. Returns the status to exit with.
int measure_here(const Bench& bench, const RunnerName& runner, const std::filesystem::path& output,
                 evidence::Record record);

}  // namespace anemone::ladder
