#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "anemone/base/progress.h"
#include "anemone/evidence/evidence.h"
#include "anemone/ladder/run.h"
#include "anemone/predict/npz.h"

// Evidence of any package, by the runners that the ladder's experiments have.
namespace anemone::ladder {

struct RecordOptions {
  std::filesystem::path package;
  std::string function = {};    // empty: each
  predict::Arrays inputs = {};  // by name; the others are made up: seeded in [-1, 1), integers 0
  RunnerName runner = {};
  double timeout_seconds = 1800;  // of each process
  std::int64_t steps = kDefaultSteps;
  int threads = 1;  // for the golden figures
  // How a child is started: the tool itself, up to what child_arguments gives.
  std::vector<std::string> command = {};
  Progress progress = {};
  const StopFlag* stop = nullptr;
};

// A record for each function, which is measured in a process of its own and held against what the
// CPU engine computes in fp32. Whatever a process does is a record; throws Error for a package that
// cannot be read, an unknown function or input, and inputs that can only be given (images).
std::vector<evidence::Record> record_package(const RecordOptions& options);

// The child's part.
struct PackageJob {
  std::filesystem::path package = {};
  std::string function = {};
  std::filesystem::path figures = {};  // a folder with the folders inputs and outputs
  RunnerName runner = {};
  std::filesystem::path output = {};
  std::int64_t steps = kDefaultSteps;
};
std::vector<std::string> child_arguments(const PackageJob& job);
PackageJob parse_package_arguments(const std::vector<std::string>& arguments);
int run_child(const PackageJob& job);

}  // namespace anemone::ladder
