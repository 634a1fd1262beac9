#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::single_rows {

constexpr std::string_view kFacts[] = {"N13"};
constexpr Source kSources[] = {{Confidence::kAppleOs27, from::kNeuralEngineRules}};

void look_at_program(Check& check) {
  bool has_state = false;
  std::int64_t rows = 0;
  for (const FunctionView& function : check.program().functions) {
    has_state = has_state || !function.states().empty();
    rows = std::max(rows, function.rows());
    if (!function.flexible().empty()) return;
  }
  if (has_state && rows == 1) check.report("no function takes more than one row");
}

}  // namespace rule::single_rows

ANEMONE_DEFINE_RULE(single_rows) =
    sourced({.id = "single-rows",
             .facts = rule::single_rows::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kAppleOs27,
             .scope = {.says = "Core AI"},
             .looks_at = "programs with a state in which no function takes more than one row",
             .says = "more than about 50 steps of one token drift",
             .rewrite = "a second function that takes 64 rows",
             .sources = rule::single_rows::kSources,
             .program = rule::single_rows::look_at_program});

}  // namespace anemone::lint
