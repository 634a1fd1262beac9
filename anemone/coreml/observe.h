#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anemone/base/progress.h"
#include "anemone/coreml/coreml.h"
#include "anemone/coreml/machine.h"
#include "anemone/engine/engine.h"

// What one function of one package does under one choice of processors, on the machine at hand.
namespace anemone::coreml {

// What Core ML's plan says of one operation. A plan tells what is preferred, not where it ran.
struct OpPlacement {
  std::string function = {};
  std::string op = {};                        // "ios18.conv"
  std::string output = {};                    // the first output's name
  std::vector<std::string> supported = {};    // "cpu", "gpu", "ane"
  std::optional<std::string> preferred = {};  // absent where the plan has nothing to say
  std::optional<double> cost = {};            // a share of the whole, no time; absent likewise
};

struct ObserveOptions {
  std::string function = {};  // empty: the package's only one
  // Given to every prediction. Must stay as they are until observe() returns.
  std::span<const engine::Feed> feeds = {};
  // Filled by the first prediction, on states of zeros.
  std::span<const engine::Fetch> fetches = {};
  int predictions = 20;  // after the first
  bool reads_plan = true;
};

struct Observation;
// Told after the first prediction (0) and each one after it (1, 2, ...), cheaply: it stands between
// predictions.
using StepDone = std::function<void(std::int64_t done, const Observation& so_far)>;

// Every field is measured on this machine or absent.
struct Observation {
  ComputeUnits units = ComputeUnits::kCpu;
  std::string function = {};
  std::filesystem::path compiled = {};         // where the compiled package lies
  std::optional<double> compile_seconds = {};  // absent if it was compiled before
  std::optional<double> first_load_seconds = {};
  std::optional<double> second_load_seconds = {};
  bool has_plan = false;
  std::vector<OpPlacement> plan = {};
  std::optional<std::uint64_t> state_bytes = {};  // of all states, once they are made
  std::optional<double> first_prediction_seconds = {};
  std::vector<double> steady_seconds = {};  // of each prediction after the first
  std::optional<std::uint64_t> footprint_before_bytes = {};
  std::optional<std::uint64_t> footprint_loaded_bytes = {};
  std::optional<std::uint64_t> footprint_after_bytes = {};
  std::optional<std::uint64_t> footprint_peak_bytes = {};
  // At most one a stage. A plan that cannot be read ends nothing; any other failure ends the rest.
  std::vector<Failure> failures = {};

  const Failure* find_failure(std::string_view stage) const;
  // Of steady_seconds, by the nearest rank: `share` in (0, 1]. Absent if there are none.
  std::optional<double> steady_percentile(double share) const;
};

// Called after each stage ("compile", "load", "plan", "state", "predict"), so that what was learnt
// can be written down before the next one takes the process with it.
using StageDone = std::function<void(std::string_view stage, const Observation& so_far)>;

// Compiles, loads twice, reads the plan, predicts. What Core ML refuses is recorded; only what is
// wrong on this side is thrown: a package that cannot be read, an unknown function, feeds that do
// not fit it, a system without Core ML.
Observation observe(const std::filesystem::path& package, const Options& options,
                    const ObserveOptions& what, const StageDone& done = {},
                    const StopFlag* stop = nullptr, const StepDone& step_done = {});

}  // namespace anemone::coreml
