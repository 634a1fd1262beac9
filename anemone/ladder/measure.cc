#include "anemone/ladder/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "anemone/base/error.h"
#include "anemone/coreml/machine.h"
#include "anemone/coreml/observe.h"
#include "anemone/generate/predictor.h"
#include "anemone/predict/npz.h"

namespace anemone::ladder {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using evidence::Outcome;
using evidence::Stage;

// What a compiled model must reach against its source in fp32, and what was re-authored with a
// great distance to spare. Source: apple/coreai-models working-with-coreai SKILL.md, 2026: 40 dB.
constexpr double kRequiredSnrDb = 40;
constexpr double kEqualSnrDb = 200;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Inputs and room for outputs, in the form in which Predictors take them.
class Exchange {
 public:
  explicit Exchange(const Bench& bench) {
    for (const auto& [name, tensor] : bench.inputs) {
      engine::Feed feed{.name = name, .count = tensor.count(), .shape = tensor.shape()};
      if (tensor.dtype() == DType::kI32) {
        feed.dtype = DType::kI32;
        feed.data = tensor.as<std::int32_t>().data();
      } else {
        auto& floats = inputs_[name] = tensor.to_floats();
        feed.data = floats.data();
      }
      feeds.push_back(feed);
    }
    for (const auto& [name, tensor] : bench.golden) {
      auto& room = outputs[name];
      // What nothing fills shows.
      room.assign(static_cast<std::size_t>(tensor.count()), std::nanf(""));
      fetches.push_back({.name = name, .data = room.data(), .count = tensor.count()});
    }
  }

  std::vector<engine::Feed> feeds;
  std::vector<engine::Fetch> fetches;
  std::map<std::string, std::vector<float>, std::less<>> outputs;

 private:
  std::map<std::string, std::vector<float>, std::less<>> inputs_;
};

void fill_latency(std::vector<double> seconds, evidence::Latency& latency) {
  latency.steady_count = static_cast<std::int64_t>(seconds.size());
  if (seconds.empty()) return;
  std::sort(seconds.begin(), seconds.end());
  const auto rank = [&](double share) {
    const double place = std::ceil(share * static_cast<double>(seconds.size()));
    return seconds[static_cast<std::size_t>(place) - 1];
  };
  latency.steady_p50_seconds = rank(0.5);
  latency.steady_p95_seconds = rank(0.95);
}

predict::Arrays load_arrays(const fs::path& folder) {
  predict::Arrays arrays;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ".npy") continue;
    const MappedFile file(at->path());
    arrays[at->path().stem().string()] =
        predict::parse_npy(file.view(), at->path().string()).resident();
  }
  if (error) throw Error(Code::kNotFound, folder.string() + ": " + error.message());
  // The figures must outlive the map they were read from.
  for (auto& [name, array] : arrays) {
    array = array.dtype() == DType::kI32
                ? Tensor::from_ints(DType::kI32, array.shape(), array.to_ints())
                : Tensor::from_floats(DType::kF32, array.shape(), array.to_floats());
  }
  return arrays;
}

// --- Core ML. ---

Stage stage_of(const coreml::Observation& observation, std::string_view stage,
               std::optional<double> seconds) {
  const coreml::Failure* failure = observation.find_failure(stage);
  if (failure == nullptr) return {.seconds = seconds};
  return {
      .outcome = Outcome::kError,
      .message = failure->domain + " " + std::to_string(failure->code) + ": " + failure->message};
}

void fill(const coreml::Observation& observation, evidence::Record& record,
          evidence::Units& units) {
  if (observation.compile_seconds || observation.find_failure("compile") != nullptr) {
    record.compile = stage_of(observation, "compile", observation.compile_seconds);
  }
  if (observation.first_load_seconds || observation.find_failure("load") != nullptr) {
    units.cold_load = stage_of(observation, "load", observation.first_load_seconds);
  }
  if (observation.second_load_seconds) {
    units.warm_load = Stage{.seconds = observation.second_load_seconds};
  }
  if (observation.has_plan || observation.find_failure("plan") != nullptr) {
    units.plan = stage_of(observation, "plan", {});
  }
  units.ops.clear();
  for (const coreml::OpPlacement& op : observation.plan) {
    units.ops.push_back({.op = op.op,
                         .output = op.output,
                         .supported = op.supported,
                         .preferred = op.preferred,
                         .cost = op.cost});
  }
  const char* const ran = observation.find_failure("state") != nullptr ? "state" : "predict";
  if (observation.first_prediction_seconds || observation.find_failure(ran) != nullptr) {
    units.predict = stage_of(observation, ran, {});
  }
  units.state_bytes = observation.state_bytes;
  if (observation.first_prediction_seconds) {
    const auto done = static_cast<std::int64_t>(observation.steady_seconds.size());
    units.steps_done = done;
    if (observation.find_failure("predict") != nullptr) units.failed_step = done + 1;
  }
  units.latency.first_seconds = observation.first_prediction_seconds;
  fill_latency(observation.steady_seconds, units.latency);
  units.footprint = {.before_bytes = observation.footprint_before_bytes,
                     .loaded_bytes = observation.footprint_loaded_bytes,
                     .after_bytes = observation.footprint_after_bytes,
                     .peak_bytes = observation.footprint_peak_bytes};
}

}  // namespace

Bench load_bench(const fs::path& folder, const Files& files) {
  return {.package = folder / files.package,
          .inputs = load_arrays(folder / files.inputs),
          .golden = load_arrays(folder / files.outputs)};
}

evidence::Numerics compare(const std::map<std::string, Tensor, std::less<>>& golden,
                           const std::map<std::string, std::vector<float>, std::less<>>& found) {
  evidence::Numerics numerics{.required_snr_db = kRequiredSnrDb};
  double signal = 0;
  double noise = 0;
  double power = 0;
  double dot = 0;
  for (const auto& [name, tensor] : golden) {
    const std::vector<float> wanted = tensor.to_floats();
    const auto output = found.find(name);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const double want = wanted[i];
      const double got =
          output == found.end() || i >= output->second.size() ? std::nan("") : output->second[i];
      if (!std::isfinite(got)) {
        ++numerics.not_finite;
        continue;
      }
      signal += want * want;
      power += got * got;
      dot += want * got;
      noise += (want - got) * (want - got);
      numerics.max_abs_error = std::max(numerics.max_abs_error, std::abs(want - got));
    }
  }
  const double product = std::sqrt(signal) * std::sqrt(power);
  numerics.cosine = product > 0 ? dot / product : 0;
  if (noise == 0) {
    numerics.snr_db = signal > 0 ? kEqualSnrDb : 0;
  } else {
    // A golden output of zeros has no signal; any noise drowns it.
    const double floor = -kEqualSnrDb;
    numerics.snr_db = signal > 0 ? std::min(kEqualSnrDb, 10 * std::log10(signal / noise)) : floor;
  }
  return numerics;
}

void measure_by_cpu(const Bench& bench, evidence::Record& record, const Saved& saved,
                    const Stepped& stepped) {
  evidence::Units& units = record.units["cpu"];
  units.footprint.before_bytes = coreml::footprint().now_bytes;
  Clock::time_point start = Clock::now();
  const auto predictor = generate::open_cpu_predictor(bench.package, {});
  const std::string function =
      record.function.empty() ? predictor->functions().front().name : record.function;
  predictor->prepare(function);
  record.function = function;
  units.cold_load = Stage{.seconds = seconds_since(start)};
  units.footprint.loaded_bytes = coreml::footprint().now_bytes;
  saved(record);
  const auto state = predictor->make_state();
  units.state_bytes = state->size_bytes();
  Exchange exchange(bench);
  std::vector<double> seconds;
  for (std::int64_t i = 0; i <= *record.steps; ++i) {
    start = Clock::now();
    predictor->predict(function, exchange.feeds, state.get(), exchange.fetches);
    const double took = seconds_since(start);
    if (i == 0) {
      units.latency.first_seconds = took;
      units.predict = Stage{};
      units.numerics = compare(bench.golden, exchange.outputs);
      units.steps_done = 0;
      saved(record);
      units.predicting_from = evidence::unix_time_now();
    } else {
      seconds.push_back(took);
      units.predicting_to = evidence::unix_time_now();
      stepped("cpu", i);
    }
  }
  units.steps_done = *record.steps;
  fill_latency(std::move(seconds), units.latency);
  units.footprint.after_bytes = coreml::footprint().now_bytes;
  units.footprint.peak_bytes = coreml::footprint().peak_bytes;
  saved(record);
}

void measure_by_coreml(const Bench& bench, const fs::path& scratch, evidence::Record& record,
                       const Saved& saved, const Stepped& stepped) {
  coreml::require_available();
  // The processors that cannot hang come first.
  for (const auto choice : {coreml::ComputeUnits::kCpu, coreml::ComputeUnits::kCpuAndGpu,
                            coreml::ComputeUnits::kCpuAndAne}) {
    evidence::Units& units = record.units[std::string(coreml::name(choice))];
    Exchange exchange(bench);
    // A folder of its own, so that the first load is a cold one.
    const fs::path compiled = scratch / std::string(coreml::name(choice));
    const coreml::Options options{.units = choice, .compiled_folder = compiled};
    const coreml::ObserveOptions what{.function = record.function,
                                      .feeds = exchange.feeds,
                                      .fetches = exchange.fetches,
                                      .predictions = static_cast<int>(*record.steps)};
    const auto save = [&](const coreml::Observation& so_far) {
      fill(so_far, record, units);
      saved(record);
    };
    const coreml::Observation observation = coreml::observe(
        bench.package, options, what,
        [&](std::string_view, const coreml::Observation& so_far) { save(so_far); }, nullptr,
        [&](std::int64_t done, const coreml::Observation& so_far) {
          if (done == 0) {
            save(so_far);
            units.predicting_from = evidence::unix_time_now();
          } else {
            units.predicting_to = evidence::unix_time_now();
            stepped(coreml::name(choice), done);
          }
        });
    fill(observation, record, units);
    record.function = observation.function;
    if (observation.first_prediction_seconds) {
      units.numerics = compare(bench.golden, exchange.outputs);
    }
    saved(record);
  }
}

}  // namespace anemone::ladder
