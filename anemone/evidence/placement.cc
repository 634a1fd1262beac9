#include "anemone/evidence/placement.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace anemone::evidence {
namespace {

constexpr std::string_view kNames[] = {"runs-on-ane",   "placed-on-ane", "planned-for-ane",
                                       "ane-supported", "off-ane",       "failed",
                                       "wrong-numbers", "unmeasured"};
constexpr std::string_view kSays[] = {
    "runs on the ANE: clock, plan, energy, footprint, log and numbers agree",
    "placed on the ANE by plan and clock; its energy was not read",
    "planned for the ANE; that it runs there is not shown",
    "supported on the ANE, but the plan prefers another unit",
    "kept off the ANE by the plan",
    "does not compile, load or predict with the ANE allowed",
    "predicts wrong numbers with the ANE allowed",
    "unmeasured: nothing was recorded that bears on the ANE"};

std::string number(double value, const char* format = "%.3g") {
  char text[48];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

std::string percent(double share) { return number(100 * share, "%.1f") + " %"; }

// Compile-time ops have no place, so no plan gives them one.
bool is_constant_op(std::string_view type) {
  const std::size_t dot = type.find('.');
  const std::string_view bare = dot == std::string_view::npos ? type : type.substr(dot + 1);
  return bare == "const" || bare.starts_with("constexpr_");
}

bool is_compiler_failure(std::string_view line) {
  // Source: E5RT's and Espresso's lines as quoted in apple/coremltools issue 2758; Core ML's own
  // begins with a capital.
  return line.find("ANECCompile") != std::string_view::npos ||
         line.find("ailed to build the model execution plan") != std::string_view::npos;
}

// The choice of processors that lets the ANE in.
const Units* with_ane(const Record& record) {
  const Units* units = record.find_units("cpu+ane");
  return units != nullptr ? units : record.find_units("all");
}

const Stage* failed_stage(const std::optional<Stage>& stage) {
  return stage && stage->outcome != Outcome::kOk ? &*stage : nullptr;
}

// The first line that tells of the engine's compiler failing; empty if none does.
std::string_view compiler_failure(const Record& record) {
  const auto line = std::find_if(record.log.begin(), record.log.end(), is_compiler_failure);
  return line == record.log.end() ? std::string_view() : std::string_view(*line);
}

// Why the record shows a failure; empty if it shows none.
std::string failure(const Record& record, const Units* units) {
  const auto words = [](const char* what, const Stage& stage) {
    return std::string(what) + ": " + std::string(name(stage.outcome)) +
           (stage.message.empty() ? "" : ", " + stage.message);
  };
  if (const Stage* stage = failed_stage(record.compile)) return words("compile", *stage);
  if (units != nullptr) {
    if (const Stage* stage = failed_stage(units->cold_load)) return words("load", *stage);
    if (const Stage* stage = failed_stage(units->warm_load)) return words("second load", *stage);
    if (const Stage* stage = failed_stage(units->predict)) return words("predict", *stage);
  }
  if (record.outcome == Outcome::kOk) return "";
  std::string text = "the process: " + std::string(name(record.outcome));
  if (record.exit_signal) text += ", signal " + std::to_string(*record.exit_signal);
  return text;
}

// Of what ran on the CPU alone; empty if nothing was compared.
std::string cpu_numbers(const Record& record) {
  const Units* cpu = record.find_units("cpu");
  if (cpu == nullptr || !cpu->numerics) return "";
  return std::string("; the numbers on the CPU are ") +
         (cpu->numerics->passed() ? "right" : "wrong") + ", " +
         number(cpu->numerics->snr_db, "%.1f") + " dB";
}

void read_plan(const Units& units, Verdict& verdict) {
  std::vector<const OpPlacement*> ops;
  double cost = 0;
  bool all_cost = true;
  for (const OpPlacement& op : units.ops) {
    if (is_constant_op(op.op) || (!op.preferred && op.supported.empty())) continue;
    ops.push_back(&op);
    cost += op.cost.value_or(0);
    all_cost &= op.cost.has_value();
  }
  if (ops.empty()) return;
  verdict.is_weighted = all_cost && cost > 0;
  double whole = 0;
  double preferred = 0;
  double supported = 0;
  for (const OpPlacement* op : ops) {
    const double weight = verdict.is_weighted ? *op->cost : 1;
    whole += weight;
    if (op->preferred == "ane") preferred += weight;
    if (std::count(op->supported.begin(), op->supported.end(), "ane") > 0) supported += weight;
  }
  verdict.preferred_share = preferred / whole;
  verdict.supported_share = supported / whole;
  verdict.plan = verdict.preferred_share >= kPlannedShare ? Sign::kYes : Sign::kNo;
}

void read_clock(const Record& record, const Units& units, Verdict& verdict) {
  const Units* cpu = record.find_units("cpu");
  if (cpu == nullptr || !cpu->latency.steady_p50_seconds || !units.latency.steady_p50_seconds) {
    return;
  }
  const double slow = *cpu->latency.steady_p50_seconds;
  const double fast = *units.latency.steady_p50_seconds;
  if (slow <= 0 || fast <= 0) return;
  const bool is_clear = std::abs(std::log(slow / fast)) >= std::log(kClearRatio);
  verdict.clock = is_clear ? Sign::kYes : Sign::kNo;
  verdict.reason += "; " + number(1e3 * fast) + " ms with the ANE, " + number(1e3 * slow) +
                    " ms on the CPU alone";
}

void read_rest(const Record& record, const Units& units, Verdict& verdict) {
  if (const auto& energy = units.ane_energy) {
    verdict.energy = energy->joules > 0 && energy->joules >= kEnergyRatio * energy->idle_joules
                         ? Sign::kYes
                         : Sign::kNo;
  }
  if (units.footprint.before_bytes && units.footprint.peak_bytes) {
    const double grown = static_cast<double>(*units.footprint.peak_bytes) -
                         static_cast<double>(*units.footprint.before_bytes);
    const double allowed =
        kFootprintBytes + kFootprintPackages * static_cast<double>(record.package.size_bytes);
    verdict.footprint = grown <= allowed ? Sign::kYes : Sign::kNo;
  }
  // Only a cold load compiles, so only its silence tells anything.
  if (units.cold_load) {
    verdict.quiet = compiler_failure(record).empty() ? Sign::kYes : Sign::kNo;
  }
  if (const auto& numerics = units.numerics) {
    verdict.numbers = numerics->passed() ? Sign::kYes : Sign::kNo;
  }
}

Placement combined(const Verdict& verdict) {
  if (verdict.numbers == Sign::kNo) return Placement::kWrong;
  if (verdict.plan == Sign::kAbsent) return Placement::kUnmeasured;
  if (verdict.plan == Sign::kNo) {
    return verdict.supported_share >= kPlannedShare ? Placement::kSupported : Placement::kAway;
  }
  const bool is_borne_out = verdict.clock == Sign::kYes && verdict.footprint == Sign::kYes &&
                            verdict.quiet == Sign::kYes && verdict.numbers == Sign::kYes &&
                            verdict.energy != Sign::kNo;
  if (!is_borne_out) return Placement::kPlanned;
  return verdict.energy == Sign::kYes ? Placement::kRuns : Placement::kPlaced;
}

}  // namespace

std::string_view name(Placement placement) { return kNames[static_cast<std::size_t>(placement)]; }
std::string_view says(Placement placement) { return kSays[static_cast<std::size_t>(placement)]; }

Verdict judge(const Record& record) {
  Verdict verdict;
  const Units* units = with_ane(record);
  if (const std::string why = failure(record, units); !why.empty()) {
    // A process that never had the ANE tells nothing about it.
    verdict.placement = record.runner == "cpu" ? Placement::kUnmeasured : Placement::kFailed;
    verdict.reason = why;
    if (const std::string_view line = compiler_failure(record); !line.empty()) {
      verdict.quiet = Sign::kNo;
      verdict.reason = "the ANE's compiler failed, \"" + std::string(line) + "\"; " + why;
    }
    // What a report of a long run's death needs.
    if (const std::string step = failed_step(record); !step.empty()) {
      verdict.reason += ", " + step + ", package " + record.package.hash;
    }
    return verdict;
  }
  if (units == nullptr) {
    verdict.reason = "the ANE was not allowed in any run" + cpu_numbers(record);
    return verdict;
  }
  read_plan(*units, verdict);
  verdict.reason = verdict.preferred_share < 0
                       ? "there is no plan"
                       : percent(verdict.preferred_share) +
                             (verdict.is_weighted ? " of the planned ops, weighted by cost,"
                                                  : " of the planned ops") +
                             " prefer the ANE, " + percent(verdict.supported_share) +
                             " are supported there";
  read_clock(record, *units, verdict);
  read_rest(record, *units, verdict);
  const std::pair<Sign, const char*> signs[] = {{verdict.clock, "the clock"},
                                                {verdict.energy, "energy"},
                                                {verdict.footprint, "the footprint"},
                                                {verdict.quiet, "the log of a cold load"},
                                                {verdict.numbers, "the numbers"}};
  for (const auto& [sign, what] : signs) {
    if (sign == Sign::kNo) verdict.reason += std::string("; ") + what + " speaks against it";
    if (sign == Sign::kAbsent) verdict.reason += std::string("; ") + what + " was not recorded";
  }
  verdict.placement = combined(verdict);
  return verdict;
}

std::map<std::string, Agreement> compare(std::span<const Prediction> predictions,
                                         std::span<const Record> records) {
  std::map<std::string, Agreement> by_rule;
  for (const Prediction& prediction : predictions) {
    Agreement& agreement = by_rule[prediction.rule];
    bool is_told = false;
    for (const Record& record : records) {
      const Units* units = with_ane(record);
      const bool is_other = !prediction.function.empty() && !record.function.empty() &&
                            prediction.function != record.function;
      if (units == nullptr || is_other) continue;
      for (const OpPlacement& op : units->ops) {
        if (op.output != prediction.output || !op.preferred) continue;
        is_told = true;
        ++(*op.preferred == "ane" ? agreement.contradicts : agreement.agrees);
      }
    }
    agreement.silent += !is_told;
  }
  return by_rule;
}

std::string_view failed_choice(const Record& record) {
  for (const std::string_view choice : {"cpu+ane", "all", "cpu+gpu", "cpu"}) {
    const Units* units = record.find_units(choice);
    if (units != nullptr && units->failed_step) return choice;
  }
  return "";
}

std::string failed_step(const Record& record) {
  const std::string_view choice = failed_choice(record);
  if (choice.empty()) return "";
  const Units& units = *record.find_units(choice);
  std::string text = "at step " + std::to_string(*units.failed_step);
  if (record.steps) text += " of " + std::to_string(*record.steps);
  text += " under " + std::string(choice);
  if (units.state_bytes) text += ", state " + std::to_string(*units.state_bytes) + " bytes";
  return text;
}

std::string describe(const Record& record) {
  const Verdict verdict = judge(record);
  std::string text = record.experiment + (record.form.empty() ? "" : ", " + record.form) + ": ";
  if (verdict.preferred_share >= 0) {
    text += percent(verdict.preferred_share) + " on the ANE by the plan (preferred unit, " +
            (verdict.is_weighted ? "weighted by cost" : "ops counted") + "): ";
  }
  text += std::string(says(verdict.placement)) + "\n";
  const bool is_scripted = record.runner == "scripted";
  text += std::string("  ") + (is_scripted ? "played back (proves nothing) " : "measured ") +
          record.measured_at + " by " + record.tool + ", runner " + record.runner + "\n";
  text += "  machine  " + record.machine.chip + ", " + record.machine.os + " " +
          record.machine.os_version +
          (record.machine.os_build.empty() ? "" : " (" + record.machine.os_build + ")") +
          (record.machine.is_virtual ? ", virtual" : "") + "\n";
  text += "  package  " + record.package.name + ", " +
          number(static_cast<double>(record.package.size_bytes) / 1e6) + " MB, " +
          record.package.hash + "\n";
  text +=
      "  outcome  " + std::string(name(record.outcome)) + " after " + number(record.seconds) + " s";
  if (record.exit_signal) text += ", signal " + std::to_string(*record.exit_signal);
  if (const std::string step = failed_step(record); !step.empty()) {
    text += (record.outcome == Outcome::kOk ? ", predict failed " : ", ") + step;
  }
  text += "\n  because  " + verdict.reason + "\n";
  for (const std::string_view choice : kUnits) {
    const Units* units = record.find_units(choice);
    if (units == nullptr) continue;
    std::string line;
    const auto seconds = [&](const char* what, const std::optional<Stage>& stage) {
      if (!stage) return;
      line += std::string(line.empty() ? "" : ", ") + what + " " +
              (stage->outcome != Outcome::kOk ? std::string(name(stage->outcome))
               : stage->seconds               ? number(*stage->seconds) + " s"
                                              : "ok");
    };
    seconds("first (cold) load", units->cold_load);
    seconds("later (warm) load", units->warm_load);
    if (units->steps_done) {
      line += (line.empty() ? "" : ", ") + std::to_string(*units->steps_done) +
              (record.steps ? " of " + std::to_string(*record.steps) : "") + " steps";
    }
    if (units->state_bytes) {
      line +=
          (line.empty() ? "state " : ", state ") + std::to_string(*units->state_bytes) + " bytes";
    }
    if (units->latency.steady_p50_seconds) {
      line += (line.empty() ? "" : ", ") + std::string("p50 ") +
              number(1e3 * *units->latency.steady_p50_seconds) + " ms";
    }
    if (units->latency.steady_p95_seconds) {
      line += ", p95 " + number(1e3 * *units->latency.steady_p95_seconds) + " ms";
    }
    if (units->numerics) {
      line += (line.empty() ? "" : ", ") + std::string("SNR ") +
              number(units->numerics->snr_db, "%.1f") + " dB" +
              (units->numerics->passed() ? "" : " (too low)");
    }
    text += "  " + std::string(choice) +
            std::string(9 - std::min<std::size_t>(choice.size(), 8), ' ') + line + "\n";
  }
  return text;
}

std::vector<std::string> inconsistencies(const Record& record) {
  std::vector<std::string> found;
  if (record.outcome == Outcome::kOk && record.exit_signal) {
    found.emplace_back("the outcome is ok, and a signal ended the process");
  }
  if (record.runner == "cpu" && with_ane(record) != nullptr) {
    found.emplace_back("the runner cpu cannot have measured with the ANE allowed");
  }
  for (const auto& [choice, units] : record.units) {
    const bool predicted = units.latency.first_seconds || units.latency.steady_count > 0;
    if (failed_stage(units.cold_load) != nullptr && predicted) {
      found.push_back(choice + ": predicted though it could not be loaded");
    }
    const auto& [first, count, p50, p95] = units.latency;
    if (p50 && p95 && *p50 > *p95)
      found.push_back(choice + ": the median passes the 95th percentile");
    if ((p50 || p95) && count == 0) found.push_back(choice + ": percentiles of no predictions");
    if (units.failed_step && *units.failed_step != units.steps_done.value_or(0) + 1) {
      found.push_back(choice + ": the step that failed does not follow the last one done");
    }
    if (record.steps && units.steps_done && *units.steps_done > *record.steps) {
      found.push_back(choice + ": more steps were done than asked for");
    }
    const auto& footprint = units.footprint;
    if (footprint.peak_bytes && footprint.loaded_bytes &&
        *footprint.peak_bytes < *footprint.loaded_bytes) {
      found.push_back(choice + ": the footprint at its peak is below that after loading");
    }
    if (units.predicting_from && units.predicting_to &&
        *units.predicting_to < *units.predicting_from) {
      found.push_back(choice + ": it stopped predicting before it began");
    }
    if (units.ane_energy && units.ane_energy->predictions == 0) {
      found.push_back(choice + ": energy of no predictions");
    }
    double cost = 0;
    for (const OpPlacement& op : units.ops) cost += op.cost.value_or(0);
    if (cost > 1.05) found.push_back(choice + ": the ops' costs add up to " + number(cost));
  }
  return found;
}

}  // namespace anemone::evidence
