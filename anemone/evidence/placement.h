#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/evidence/evidence.h"

// What a record shows about the Neural Engine. Core ML never says where a prediction ran, so five
// signs must agree before "runs on the ANE" is said; less is worded as what it is.
namespace anemone::evidence {

enum class Placement : std::uint8_t {
  kRuns,        // all five signs, and right numbers
  kPlaced,      // plan and clock agree, nothing speaks against it; energy was not read
  kPlanned,     // the plan prefers the ANE; the clock does not bear it out
  kSupported,   // the ANE could run it, the plan prefers another unit
  kAway,        // the plan keeps it off the ANE
  kFailed,      // it did not compile, load or predict with the ANE allowed
  kWrong,       // it predicted, and the numbers are wrong
  kUnmeasured,  // nothing was measured that bears on it
};
std::string_view name(Placement placement);  // "runs-on-ane"
std::string_view says(Placement placement);  // in words

// What counts as a sign. Source of the five signs: the composite that docs/formats/evidence.md
// describes; 0.95 leaves room for the ops at a program's edge.
inline constexpr double kPlannedShare = 0.95;
// Medians under cpu+ane and cpu that are nearer than this are not told apart: identical work was
// reported at equal times (5.3 and 5.3 ms), real ANE use at a third (12.5 and 46 ms).
inline constexpr double kClearRatio = 1.25;
// Predicting must take this many times what idling took.
inline constexpr double kEnergyRatio = 2;
// A footprint at its peak beyond so many package sizes, and this much, is that of copies made for
// another unit.
inline constexpr double kFootprintPackages = 3;
inline constexpr double kFootprintBytes = 512e6;

enum class Sign : std::uint8_t { kYes, kNo, kAbsent };

struct Verdict {
  Placement placement = Placement::kUnmeasured;
  // Of ops that the plan speaks of, those that prefer the ANE, and those it supports; -1: no plan.
  // Weighted by cost if every one of them has a cost; else counted.
  double preferred_share = -1;
  double supported_share = -1;
  bool is_weighted = false;
  Sign clock = Sign::kAbsent;      // cpu+ane clearly differs from cpu
  Sign plan = Sign::kAbsent;       // preferred_share is at least kPlannedShare
  Sign energy = Sign::kAbsent;     // the engine took more than at rest
  Sign footprint = Sign::kAbsent;  // within the expected band
  Sign quiet = Sign::kAbsent;      // no compiler failure was logged on a cold load
  Sign numbers = Sign::kAbsent;    // outputs agree with the golden ones
  std::string reason = {};         // why, with figures
};

Verdict judge(const Record& record);

// --- Held against lint. ---

// Something that lint predicted of an op.
struct Prediction {
  std::string rule = {};      // its id
  std::string output = {};    // of the op, the first one's name
  std::string function = {};  // empty: of whatever function a record is
};

struct Agreement {
  std::int64_t agrees = 0;       // the plan prefers another unit than the ANE
  std::int64_t contradicts = 0;  // the plan prefers the ANE
  std::int64_t silent = 0;       // no record's plan has the op, or it says nothing of it
};

// By rule, over all records that hold a plan for cpu+ane (or all) of the package that was linted.
std::map<std::string, Agreement> compare(std::span<const Prediction> predictions,
                                         std::span<const Record> records);

// --- Words. ---

// The choice of processors under which a step failed; of several, the one with the ANE allowed.
// Empty where none did.
std::string_view failed_choice(const Record& record);
// "at step 137 of 500 under cpu+ane, state 131072 bytes"; empty likewise.
std::string failed_step(const Record& record);

// A few lines a record, for people.
std::string describe(const Record& record);

// What contradicts itself though the schema has nothing against it: values that cannot be measured,
// stages after one that failed.
std::vector<std::string> inconsistencies(const Record& record);

}  // namespace anemone::evidence
