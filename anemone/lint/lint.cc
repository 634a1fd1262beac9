#include "anemone/lint/lint.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>

#include "anemone/base/check.h"
#include "anemone/lint/check.h"
#include "anemone/lint/islands.h"
#include "anemone/lint/pattern.h"

namespace anemone::lint {

#define ANEMONE_RULE(stem) extern const Rule rule_##stem;
#include "anemone/lint/rules/rules.inc"
#undef ANEMONE_RULE

namespace {

#define ANEMONE_RULE(stem) &rule_##stem,
constexpr const Rule* kRules[] = {
#include "anemone/lint/rules/rules.inc"
};
#undef ANEMONE_RULE

constexpr std::array<std::string_view, 8> kSeverities = {
    "barred", "rejected", "silent", "numeric", "leaves-ane", "build", "slow", "note"};
constexpr std::array<std::string_view, 6> kConfidences = {"apple",   "apple-os27", "measured",
                                                          "derived", "folklore",   "conflict"};

// Generations as the engine's are counted. Sources: which chip holds which core, Apple's model
// pages; M1 with A14, M2 with A15, M3 with A17 Pro, M4 with A18, M5 with A19.
constexpr std::array<Chip, 11> kChips = {{{"A14", 1, true},
                                          {"A15", 2, true},
                                          {"A16", 2, true},
                                          {"A17", 3, true},
                                          {"A18", 4, true},
                                          {"A19", 5, true},
                                          {"M1", 1, false},
                                          {"M2", 2, false},
                                          {"M3", 3, false},
                                          {"M4", 4, false},
                                          {"M5", 5, false}}};

bool applies(const Scope& scope, const Options& options) {
  if (!options.chip) return true;
  if (scope.devices == Scope::Devices::kPhones && !options.chip->is_phone) return false;
  if (scope.devices == Scope::Devices::kMacs && options.chip->is_phone) return false;
  return options.chip->generation >= scope.first_generation &&
         options.chip->generation <= scope.last_generation;
}

bool applies(const Scope& scope, mil::Opset target) {
  return target >= scope.since && target <= scope.until;
}

// The rules to ask for each op type, and those to ask for every op.
struct Dispatch {
  std::unordered_map<std::string_view, std::vector<const Rule*>> by_type;
  std::vector<const Rule*> every;
};

Dispatch dispatch(const Options& options) {
  Dispatch table;
  for (const Rule* rule : kRules) {
    if (!applies(rule->scope, options)) continue;
    for (const std::string_view type : rule->ops) table.by_type[type].push_back(rule);
    if (rule->ops.empty() && rule->op != nullptr) table.every.push_back(rule);
  }
  return table;
}

void ask(const Rule& rule, Check& check, const FunctionView& function, const mil::Op& op) {
  if (!applies(rule.scope, function.target())) return;
  check.set(&rule, &function, &op);
  if (rule.op != nullptr) {
    rule.op(check, op);
  } else if (rule.function == nullptr && rule.program == nullptr) {
    check.report(std::string(rule.says));
  }
}

}  // namespace

std::string_view name(Severity severity) { return kSeverities[static_cast<std::size_t>(severity)]; }
std::span<const std::string_view> severity_names() { return kSeverities; }
std::optional<Severity> find_severity(std::string_view name) {
  const auto found = std::find(kSeverities.begin(), kSeverities.end(), name);
  if (found == kSeverities.end()) return std::nullopt;
  return static_cast<Severity>(found - kSeverities.begin());
}
std::string_view name(Confidence confidence) {
  return kConfidences[static_cast<std::size_t>(confidence)];
}

std::span<const Chip> chips() { return kChips; }

std::optional<Chip> find_chip(std::string_view name) {
  std::string word;
  for (const char c : name) word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word.starts_with("apple ")) word = word.substr(6);
  for (const std::string_view tail : {" pro", " max", " ultra", " bionic"}) {
    if (word.ends_with(tail)) word = word.substr(0, word.size() - tail.size());
  }
  for (const Chip& chip : kChips) {
    if (word.size() == chip.name.size() && std::tolower(chip.name[0]) == word[0] &&
        word.substr(1) == chip.name.substr(1)) {
      return chip;
    }
  }
  return std::nullopt;
}

std::span<const Rule* const> rules() { return kRules; }

const Rule* find_rule(std::string_view id) {
  for (const Rule* rule : kRules) {
    if (rule->id == id) return rule;
  }
  return nullptr;
}

void Check::add(const mil::Op* op, const mil::Value* tensor, std::string message) {
  Finding finding;
  finding.rule = rule_;
  finding.message = std::move(message);
  finding.at = op;
  if (function_ != nullptr) finding.function = function_->function().name;
  const mil::Cost& cost = op != nullptr          ? function_->cost(*op)
                          : function_ != nullptr ? function_->cost()
                                                 : view_.cost;
  finding.bytes = cost.bytes();
  finding.flops = cost.flops;
  if (op != nullptr) {
    finding.op = op->type();
    if (!op->outputs.empty()) finding.output = op->output()->name;
    if (tensor == nullptr && !op->outputs.empty()) tensor = op->output();
    if (tensor == nullptr && !op->inputs.empty() && !op->inputs.front().values.empty()) {
      tensor = op->inputs.front().values.front();
    }
  }
  if (tensor != nullptr) {
    finding.tensor = tensor->name;
    finding.shape = shape_text(*tensor);
    finding.dtype = anemone::name(tensor->type.dtype);
  }
  findings_.push_back(std::move(finding));
}

void Check::report(std::string message) { add(op_, nullptr, std::move(message)); }
void Check::report(const mil::Value& tensor, std::string message) {
  add(op_, &tensor, std::move(message));
}
void Check::report_at(const mil::Op& op, std::string message) {
  add(&op, nullptr, std::move(message));
}

std::uint64_t Check::crossings() const {
  const mil::Function& function = function_->function();
  return islands_of(function, findings_).crossings.size();
}

std::vector<Finding> lint(const Subject& subject, const Options& options) {
  ANEMONE_CHECK(subject.program != nullptr);
  const ProgramView view(subject, options);
  const Dispatch table = dispatch(options);
  std::vector<Finding> findings;
  Check check(view, findings);
  for (const Rule* rule : kRules) {
    if (rule->program == nullptr || !applies(rule->scope, options)) continue;
    const bool is_asked = std::any_of(
        view.functions.begin(), view.functions.end(),
        [&](const FunctionView& function) { return applies(rule->scope, function.target()); });
    if (!is_asked) continue;
    check.set(rule, nullptr, nullptr);
    rule->program(check);
  }
  for (const FunctionView& function : view.functions) {
    for (const mil::Op* op : function.ops()) {
      const auto found = table.by_type.find(op->type());
      if (found != table.by_type.end()) {
        for (const Rule* rule : found->second) ask(*rule, check, function, *op);
      }
    }
    for (const mil::Op* op : function.run_ops()) {
      for (const Rule* rule : table.every) ask(*rule, check, function, *op);
    }
    for (const Rule* rule : kRules) {
      if (rule->function == nullptr || !applies(rule->scope, options) ||
          !applies(rule->scope, function.target())) {
        continue;
      }
      check.set(rule, &function, nullptr);
      rule->function(check);
    }
  }
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
  };
  for (Finding& finding : findings) {
    finding.share_bytes = share(finding.bytes, view.cost.bytes());
    finding.share_flops = share(finding.flops, view.cost.flops);
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity() < b.severity(); });
  return findings;
}

}  // namespace anemone::lint
