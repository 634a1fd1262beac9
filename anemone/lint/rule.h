#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "anemone/mil/type.h"

namespace anemone::mil {
struct Op;
}

namespace anemone::lint {

class Check;  // check.h

// What happens on the Neural Engine's side if a rule is right, worst first.
enum class Severity : std::uint8_t {
  kBarred,     // nothing of the function may run there
  kRejected,   // its compiler or the load fails
  kSilent,     // loads and runs, but elsewhere, or gives wrong values without a word
  kNumeric,    // fp16 overflow, underflow or wrong values are possible
  kLeavesAne,  // the op moves to CPU or GPU, and cuts the graph
  kBuild,      // a tool refuses it, or an older system cannot load it
  kSlow,
  kNote,
};
std::string_view name(Severity severity);  // "leaves-ane"
std::optional<Severity> find_severity(std::string_view name);
std::span<const std::string_view> severity_names();  // worst first

// On whose word a rule rests.
enum class Confidence : std::uint8_t {
  kApple,      // Apple's documents, repositories, source comments
  kAppleOs27,  // Apple's text for Core AI on OS 27: the same silicon behind another front end
  kMeasured,   // by a named third party on stated hardware; never by this tool
  kDerived,    // arithmetic or reading of code; no device has confirmed it
  kFolklore,   // a single remark, or one hedged by its author
  kConflict,   // the sources disagree
};
std::string_view name(Confidence confidence);  // "apple-os27"

struct Source {
  Confidence confidence = Confidence::kFolklore;
  std::string_view where = {};
};

// Where a rule holds. Generations are those of the Neural Engine: 1 for A14 and M1, 2 for A15, A16
// and M2, 3 for A17 Pro and M3, 4 for A18 and M4, 5 for A19 and M5.
struct Scope {
  enum class Devices : std::uint8_t { kAll, kPhones, kMacs };

  std::string_view says = "all chips and systems";
  int first_generation = 1;
  int last_generation = 5;
  Devices devices = Devices::kAll;
  mil::Opset since = mil::Opset::kIos15;
  mil::Opset until = mil::Opset::kIos26;
};

// One thing that is looked at. One file each in rules/.
struct Rule {
  std::string_view id = {};                      // its file's stem with '-' for '_'
  std::span<const std::string_view> facts = {};  // row ids of the research table, facts.h
  Severity severity = Severity::kNote;
  Confidence confidence = Confidence::kFolklore;
  Scope scope = {};
  std::string_view looks_at = {};      // "gather, gather_nd"
  std::string_view says = {};          // what is predicted, one sentence without a full stop
  std::string_view rewrite = {};       // what to write instead; "" where there is nothing to write
  std::string_view disagreement = {};  // of confidence kConflict: who says what
  std::span<const Source> sources = {};
  // Known from the private route to the engine alone, past Core ML: only ever a note.
  bool is_direct = false;
  // An op with a finding of this rule is predicted to run on CPU or GPU.
  bool moves = false;
  // Op types that `op` is called for; empty: for every op but constants.
  std::span<const std::string_view> ops = {};
  // What is looked at, each may be null. An `ops` rule with none of the three fires on every op of
  // its types.
  void (*op)(Check& check, const mil::Op& op) = nullptr;
  void (*function)(Check& check) = nullptr;
  void (*program)(Check& check) = nullptr;
};

// What is wrong with a rule; "" if nothing is. It needs words, facts and a source; only Apple's
// word or a measurement makes it worse than slow; the private route alone makes it a note; a
// conflict says who disagrees.
constexpr std::string_view defect_of(const Rule& rule) {
  if (rule.id.empty() || rule.says.empty() || rule.looks_at.empty()) return "it lacks words";
  if (rule.facts.empty()) return "it names no facts";
  if (rule.sources.empty()) return "it has no source";
  bool is_backed = rule.confidence == Confidence::kConflict && rule.sources.size() > 1;
  for (const Source& source : rule.sources) {
    if (source.where.empty()) return "a source does not say where";
    if (source.confidence == rule.confidence) is_backed = true;
  }
  if (!is_backed) return "it is surer than its sources";
  if (rule.severity < Severity::kSlow && rule.confidence != Confidence::kApple &&
      rule.confidence != Confidence::kMeasured) {
    return "it is worse than slow without Apple's word or a measurement";
  }
  if (rule.is_direct && rule.severity != Severity::kNote) {
    return "the private route alone makes a note";
  }
  if ((rule.confidence == Confidence::kConflict) == rule.disagreement.empty()) {
    return "a conflict says who disagrees, and nothing else does";
  }
  if (rule.moves && rule.severity > Severity::kLeavesAne) return "what moves an op is no remark";
  return "";
}

// Does not compile for a rule with a defect.
consteval Rule sourced(Rule rule) {
  if (!defect_of(rule).empty()) throw "see defect_of";
  return rule;
}

// ANEMONE_DEFINE_RULE(gather) = sourced({.id = "gather", ...}); once, at the end of a rule's file.
#define ANEMONE_DEFINE_RULE(stem) \
  extern const Rule rule_##stem;  \
  constinit const Rule rule_##stem

}  // namespace anemone::lint
