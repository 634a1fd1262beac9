#include "anemone/evidence/power.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "anemone/base/error.h"

namespace anemone::evidence {
namespace {

// A window is told from rest by several samples, nearly all of it.
constexpr double kLeastSamples = 3;
constexpr double kLeastCovered = 0.9;

struct Header {
  double whole_seconds = 0;  // Unix time of the sample's end, rounded down
  double elapsed_seconds = 0;
};

// "*** Sampled system activity (Mon Nov 30 10:00:00 2026 -0800) (1003.43ms elapsed) ***"
std::optional<Header> find_header(const std::string& line) {
  const std::string_view start = "*** Sampled system activity (";
  if (!line.starts_with(start)) return std::nullopt;
  std::tm parts{};
  const char* rest = ::strptime(line.c_str() + start.size(), "%a %b %d %H:%M:%S %Y %z", &parts);
  if (rest == nullptr || std::string_view(rest).substr(0, 3) != ") (") return std::nullopt;
  char* end = nullptr;
  const double milliseconds = std::strtod(rest + 3, &end);
  if (std::string_view(end).substr(0, 2) != "ms" || !(milliseconds > 0)) return std::nullopt;
  const long offset = parts.tm_gmtoff;  // timegm takes the fields for UTC, and clears it
  return Header{static_cast<double>(::timegm(&parts) - offset), milliseconds / 1e3};
}

// "ANE Power: 12 mW", in watts.
std::optional<double> find_power(const std::string& line) {
  const std::string_view start = "ANE Power: ";
  if (!line.starts_with(start)) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(line.c_str() + start.size(), &end);
  const std::string_view unit(end);
  if (!(value >= 0) || !unit.starts_with(" ")) return std::nullopt;
  if (unit.starts_with(" mW")) return value / 1e3;
  if (unit.starts_with(" W")) return value;
  return std::nullopt;
}

double overlap(const PowerSample& sample, double from, double to) {
  return std::max(0.0, std::min(sample.to_seconds, to) - std::max(sample.from_seconds, from));
}

struct Window {
  double from = 0;
  double to = 0;
};

std::optional<Window> window_of(const Units& units) {
  if (!units.predicting_from || !units.predicting_to) return std::nullopt;
  return Window{*units.predicting_from, *units.predicting_to};
}

}  // namespace

std::vector<PowerSample> parse_power_log(std::string_view text, std::string_view what) {
  std::istringstream stream{std::string(text)};
  std::optional<Header> header;
  double first = 0, passed = 0;          // since the first sample's end
  double earliest = -1e9, latest = 1e9;  // that the first sample may have ended after `first`
  std::vector<PowerSample> samples;      // times since the first sample's end
  for (std::string line; std::getline(stream, line);) {
    if (auto next = find_header(line)) {
      if (!header) {
        first = next->whole_seconds;
      } else {
        passed += next->elapsed_seconds;
      }
      header = next;
      // It ended within the second that its header names.
      const double late = header->whole_seconds - first - passed;
      earliest = std::max(earliest, late);
      latest = std::min(latest, late + 1);
    } else if (const auto watts = find_power(line); watts && header) {
      samples.push_back({passed - header->elapsed_seconds, passed, *watts});
    }
  }
  if (samples.empty()) {
    throw Error(Code::kBadInput,
                std::string(what) +
                    ": holds no sample of the Neural Engine's power, as the text that "
                    "'powermetrics --samplers ane_power' prints has them");
  }
  const double start = first + (earliest + latest) / 2;
  for (PowerSample& sample : samples) {
    sample.from_seconds += start;
    sample.to_seconds += start;
  }
  return samples;
}

std::vector<std::string> add_energy(std::span<Record> records,
                                    std::span<const PowerSample> samples) {
  std::vector<std::string> left_out;
  const bool is_silent = std::all_of(samples.begin(), samples.end(),
                                     [](const PowerSample& one) { return one.watts == 0; });
  if (samples.empty() || is_silent) {
    return {"the power is 0 throughout: unavailable, as some systems report it"};
  }
  // At rest: samples that no prediction touches, with one to spare on either side.
  double idle_joules = 0, idle_seconds = 0;
  for (const PowerSample& sample : samples) {
    const double length = sample.to_seconds - sample.from_seconds;
    bool is_idle = true;
    for (const Record& record : records) {
      for (const auto& [choice, units] : record.units) {
        const auto window = window_of(units);
        is_idle = is_idle &&
                  (!window || overlap(sample, window->from - length, window->to + length) == 0);
      }
    }
    if (!is_idle) continue;
    idle_joules += sample.watts * length;
    idle_seconds += length;
  }
  if (idle_seconds == 0) return {"no sample was taken at rest: there is nothing to compare with"};
  for (Record& record : records) {
    for (auto& [choice, units] : record.units) {
      const std::string name = record.experiment + ", " + choice;
      const auto window = window_of(units);
      if (!window) {
        left_out.push_back(name + ": it does not say when it was predicting");
        continue;
      }
      double joules = 0, covered = 0, touched = 0;
      for (const PowerSample& sample : samples) {
        const double shared = overlap(sample, window->from, window->to);
        joules += sample.watts * shared;
        covered += shared;
        touched += shared / (sample.to_seconds - sample.from_seconds);
      }
      const double length = window->to - window->from;
      if (covered < kLeastCovered * length) {
        left_out.push_back(name + ": the power was not sampled while it was predicting");
      } else if (touched < kLeastSamples) {
        left_out.push_back(name +
                           ": it was predicting for less than three samples; take more "
                           "steps or a shorter interval");
      } else {
        units.ane_energy = Energy{.joules = joules,
                                  .idle_joules = idle_joules / idle_seconds * covered,
                                  .predictions = units.steps_done.value_or(0)};
      }
    }
  }
  return left_out;
}

}  // namespace anemone::evidence
