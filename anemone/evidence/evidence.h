#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/json.h"

// What a named machine did with a package: measured, never predicted. docs/formats/evidence.md
// tells what each field means; absent fields were not measured.
namespace anemone::evidence {

inline constexpr int kVersion = 1;

struct Machine {
  std::string model = {};       // "Mac16,1"
  std::string chip = {};        // "Apple M4"
  std::string os = {};          // "macOS"
  std::string os_version = {};  // "15.1"
  std::string os_build = {};    // "24B83"
  std::optional<std::uint64_t> memory_bytes = {};
  std::optional<int> processors = {};
  bool is_virtual = false;
  friend bool operator==(const Machine&, const Machine&) = default;
};

struct Package {
  std::string name = {};
  std::string hash = {};  // "xxh3-128:..." of its files' names and bytes
  std::uint64_t size_bytes = 0;
  friend bool operator==(const Package&, const Package&) = default;
};

// How a stage ended, or a whole run.
enum class Outcome : std::uint8_t {
  kOk,
  kError,    // it was refused, with words
  kCrash,    // the process ended itself by a signal (abort, a fault)
  kKilled,   // the process was ended from outside
  kHang,     // it took longer than it was given
  kGarbage,  // it ended well, and what it left cannot be used
  kNoSpace,  // the disk was full
};
std::string_view name(Outcome outcome);

struct Stage {
  Outcome outcome = Outcome::kOk;
  std::optional<double> seconds = {};
  std::string message = {};  // of what went wrong
};

struct OpPlacement {
  std::string op = {};                        // "ios18.conv"
  std::string output = {};                    // the first output's name
  std::vector<std::string> supported = {};    // "cpu", "gpu", "ane"
  std::optional<std::string> preferred = {};  // absent where the plan has nothing to say
  std::optional<double> cost = {};            // a share of the whole, no time
};

struct Latency {
  std::optional<double> first_seconds = {};
  std::int64_t steady_count = 0;
  std::optional<double> steady_p50_seconds = {};
  std::optional<double> steady_p95_seconds = {};
};

struct Footprint {
  std::optional<std::uint64_t> before_bytes = {};
  std::optional<std::uint64_t> loaded_bytes = {};
  std::optional<std::uint64_t> after_bytes = {};
  std::optional<std::uint64_t> peak_bytes = {};
};

// Energy that the engine took over `predictions`, and over as long a time without any.
struct Energy {
  double joules = 0;
  double idle_joules = 0;
  std::int64_t predictions = 0;
};

// Outputs against golden ones.
struct Numerics {
  double snr_db = 0;  // capped at 200, which stands for equal
  double cosine = 0;
  double max_abs_error = 0;
  std::int64_t not_finite = 0;  // elements
  double required_snr_db = 0;
  bool passed() const { return not_finite == 0 && snr_db >= required_snr_db; }
};

// Under one choice of processors.
struct Units {
  std::optional<Stage> cold_load = {};
  std::optional<Stage> warm_load = {};
  std::optional<Stage> plan = {};
  std::vector<OpPlacement> ops = {};
  std::optional<Stage> predict = {};
  Latency latency = {};
  Footprint footprint = {};
  std::optional<Energy> ane_energy = {};  // absent where it may not be read
  std::optional<Numerics> numerics = {};
  std::optional<std::uint64_t> state_bytes = {};  // of all states; 0: there is none
  // Predictions after the first, all on one state, that came to an end; and the one that did not,
  // counted from 1.
  std::optional<std::int64_t> steps_done = {};
  std::optional<std::int64_t> failed_step = {};
  // From when to when those predictions went, Unix time.
  std::optional<double> predicting_from = {};
  std::optional<double> predicting_to = {};
};

// The names of choices of processors, in the order in which they are shown.
inline constexpr std::string_view kUnits[] = {"cpu", "cpu+gpu", "cpu+ane", "all"};

// One function of one package on one machine, once.
struct Record {
  std::string experiment = {};   // of a ladder; else what the user called it
  std::string form = {};         // "tiny", "filled", or empty
  std::string measured_at = {};  // "2026-11-30T06:00:00Z"
  std::string tool = {};         // "anemone 0.1.0"
  std::string runner = {};       // "cpu", "coreml", "scripted"
  std::string function = {};
  Machine machine = {};
  Package package = {};
  Outcome outcome = Outcome::kOk;
  std::optional<int> exit_status = {};
  std::optional<int> exit_signal = {};
  double seconds = 0;                      // the process's life
  std::optional<std::int64_t> steps = {};  // asked for after the first prediction
  std::optional<Stage> compile = {};
  std::map<std::string, Units, std::less<>> units = {};
  std::vector<std::string> log = {};  // what the process said on stderr; the middle may be left out

  const Units* find_units(std::string_view name) const;
};

struct Document {
  std::vector<Record> records = {};
};

OrderedJson to_json(const Record& record);
OrderedJson to_json(const Document& document);
// Checks against the schema first. Throws Error(kBadInput) that starts with `what` and names the
// first field that is wrong.
Document read_document(const Json& json, std::string_view what);
Document load_document(const std::filesystem::path& path);
// Appears under its name when complete.
void save_document(const Document& document, const std::filesystem::path& path);

// All records once: equal ones (experiment, form, runner, machine, package, time) are kept once,
// the others in order of experiment, form and time.
Document merge(const std::vector<Document>& documents);

// Name, size and hash of a package's files.
Package describe_package(const std::filesystem::path& path);

// "2026-11-30T06:00:00Z"
std::string time_now();
// Now, Unix time.
double unix_time_now();

}  // namespace anemone::evidence
