#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/ladder/measure.h"

// The scripted runner: a machine that is made up, for tests and for teaching. docs/ladder.md
// describes the file.
namespace anemone::ladder {
namespace {

namespace fs = std::filesystem;
using evidence::Stage;

constexpr std::string_view kDeeds[] = {"runs",    "placed",   "planned", "supported", "off-ane",
                                       "wrong",   "crash",    "killed",  "hang",      "error",
                                       "garbage", "no-space", "exits"};

// What the machine does with an experiment, and what it says meanwhile.
struct Act {
  std::string deed = "runs";
  std::string says = {};
  std::optional<std::int64_t> at_step = {};  // 0: the first prediction, after all loads
  std::optional<int> status = {};            // that it exits with
};

[[noreturn]] void refuse(const fs::path& script, const std::string& why) {
  throw Error(Code::kBadInput, script.string() + ": " + why);
}

// Whether the experiment has the hypothesis in its graph.
bool has(std::string_view experiment, std::string_view hypothesis) {
  if (experiment == "with-" + std::string(hypothesis)) return true;
  const auto parsed = parse_experiment(experiment);
  if (!parsed) return false;
  const auto all = suspects(parsed->first);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i]->id == hypothesis) return (parsed->second >> i & 1) != 0;
  }
  return false;
}

Act read_act(const fs::path& script, const Json& from, const std::string& what) {
  Act act;
  if (!from.is_object()) refuse(script, what + " is no object");
  for (const auto& [key, value] : from.items()) {
    if (key == "at_step") {
      if (!value.is_number_integer() || value < 0) {
        refuse(script, what + ".at_step: found " + to_line(value) + "; allowed: 0 and more");
      }
      act.at_step = value.get<std::int64_t>();
      continue;
    }
    if (key == "status") {
      if (!value.is_number_integer() || value < 1 || value > 255) {
        refuse(script, what + ".status: found " + to_line(value) + "; allowed: 1 to 255");
      }
      act.status = value.get<int>();
      continue;
    }
    if (!value.is_string()) refuse(script, what + "." + key + " is no text");
    if (key == "does") {
      act.deed = value;
      if (std::find(std::begin(kDeeds), std::end(kDeeds), act.deed) == std::end(kDeeds)) {
        std::string allowed;
        for (const std::string_view deed : kDeeds) {
          allowed += (allowed.empty() ? "" : ", ") + std::string(deed);
        }
        refuse(script, what + ": found '" + act.deed + "'; allowed: " + allowed);
      }
    } else if (key == "says") {
      act.says = value;
    } else {
      refuse(script, what + " has a field '" + key + "'; allowed: does, says, at_step, status");
    }
  }
  const bool can_end = act.deed == "crash" || act.deed == "killed" || act.deed == "error" ||
                       act.deed == "hang" || act.deed == "no-space" || act.deed == "exits";
  if (act.at_step && !can_end) {
    refuse(script, what + ": '" + act.deed +
                       "' takes no at_step; allowed: crash, killed, hang, error, no-space, exits");
  }
  if (act.status.has_value() != (act.deed == "exits")) {
    refuse(script,
           what + ": " +
               (act.status ? "'status' goes with 'exits' alone" : "'exits' needs a 'status'"));
  }
  return act;
}

Act act_of(const fs::path& script, const std::string& experiment, const std::string& form) {
  const Json json = load_json(script);
  if (!json.is_object()) refuse(script, "is no object");
  Act act;
  for (const auto& [key, value] : json.items()) {
    if (key == "causes") {
      if (!value.is_array()) refuse(script, "'causes' is no list");
      for (const Json& cause : value) {
        if (!cause.is_array() || cause.empty()) refuse(script, "a cause is no list of hypotheses");
        bool has_all = true;
        for (const Json& id : cause) {
          if (!id.is_string() || find_hypothesis(id.get<std::string>()) == nullptr) {
            refuse(script, "a cause names " + to_line(id) + ", which is no hypothesis");
          }
          has_all &= has(experiment, id.get<std::string>());
        }
        if (has_all) act.deed = "off-ane";
      }
    } else if (key != "experiments") {
      refuse(script, "has a field '" + key + "'; allowed: causes, experiments");
    }
  }
  if (json.contains("experiments")) {
    const Json& named = json.at("experiments");
    if (!named.is_object()) refuse(script, "'experiments' is no object");
    for (const std::string& name : {experiment, experiment + "/" + form}) {
      if (named.contains(name)) act = read_act(script, named.at(name), name);
    }
  }
  return act;
}

// The figures of a machine of that kind.
void fill(const Act& act, const Bench& bench, evidence::Record& record) {
  const std::int64_t steps = *record.steps;
  const bool is_planned =
      act.deed == "runs" || act.deed == "placed" || act.deed == "planned" || act.deed == "wrong";
  const bool is_fast = is_planned && act.deed != "planned";
  if (record.function.empty()) record.function = "main";
  record.compile = Stage{.seconds = 0.5};
  for (const char* choice : {"cpu", "cpu+gpu", "cpu+ane"}) {
    evidence::Units& units = record.units[choice];
    const bool is_ane = units.ops.empty() && std::string_view(choice) == "cpu+ane";
    units.cold_load = Stage{.seconds = 2};
    units.warm_load = Stage{.seconds = 0.1};
    units.plan = Stage{};
    for (const auto& [name, tensor] : bench.golden) {
      evidence::OpPlacement op{.op = "ios18.conv", .output = name, .supported = {"cpu", "gpu"}};
      if (is_ane && (is_planned || act.deed == "supported")) op.supported.push_back("ane");
      op.preferred = is_ane && is_planned ? "ane" : "cpu";
      units.ops.push_back(std::move(op));
    }
    units.predict = Stage{};
    const double seconds = is_ane && is_fast ? 0.001 : 0.004;
    units.latency = {.first_seconds = 2 * seconds,
                     .steady_count = steps,
                     .steady_p50_seconds = seconds,
                     .steady_p95_seconds = 1.1 * seconds};
    units.footprint = {.before_bytes = 20'000'000,
                       .loaded_bytes = 60'000'000,
                       .after_bytes = 60'000'000,
                       .peak_bytes = 70'000'000};
    units.numerics = evidence::Numerics{
        .snr_db = act.deed == "wrong" && is_ane ? 3.0 : 60.0, .cosine = 1, .required_snr_db = 40};
    if (is_ane && act.deed != "placed") {
      units.ane_energy = evidence::Energy{.joules = is_fast ? 0.2 : 0.0, .predictions = steps};
    }
    units.state_bytes = 1 << 20;
    units.steps_done = steps;
  }
}

// The status to exit with, where that is what it does; 0 where it does nothing.
int end_badly(const Act& act) {
  if (act.deed == "crash") ::raise(SIGABRT);
  if (act.deed == "killed") ::raise(SIGKILL);
  if (act.deed == "error") throw Error(Code::kBadInput, "the script has an error here");
  if (act.deed == "no-space") throw Error(Code::kNoSpace, "the script has a full disk here");
  while (act.deed == "hang") ::pause();
  return act.status.value_or(0);
}

// All goes well until, with the engine allowed, the step comes at which it does not.
int play_steps(const Act& act, const Bench& bench, evidence::Record& record, const Saved& saved,
               const Stepped& stepped) {
  fill({.deed = "runs"}, bench, record);
  if (*act.at_step <= *record.steps) {
    evidence::Units& units = record.units["cpu+ane"];
    units.latency = {.first_seconds = units.latency.first_seconds};
    units.ane_energy.reset();
    units.steps_done = 0;
    if (*act.at_step == 0) {
      // It loaded, and never predicted.
      units.latency = {};
      units.predict.reset();
      units.numerics.reset();
      units.steps_done.reset();
    }
    saved(record);
    for (std::int64_t done = 1; done < *act.at_step; ++done) stepped("cpu+ane", done);
    if (const int status = end_badly(act); status != 0) return status;
  }
  saved(record);
  return 0;
}

}  // namespace

int play_script(const fs::path& script, const Bench& bench, evidence::Record& record,
                const Saved& saved, const Stepped& stepped) {
  const Act act = act_of(script, record.experiment, record.form);
  if (!act.says.empty()) {
    const std::string line = act.says + "\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  }
  record.machine = {
      .model = "Scripted1,1", .chip = "scripted", .os = "none", .os_version = "0", .os_build = "0"};
  saved(record);
  if (act.at_step) return play_steps(act, bench, record, saved, stepped);
  if (const int status = end_badly(act); status != 0) return status;
  fill(act, bench, record);
  if (act.deed == "garbage") record.units["cpu"].latency.steady_p50_seconds = -1;
  saved(record);
  return 0;
}

}  // namespace anemone::ladder
