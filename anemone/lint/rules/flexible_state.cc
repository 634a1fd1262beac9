#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::flexible_state {

constexpr std::string_view kFacts[] = {"K17"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, "videlalvaro/ane-book@4ab89e2, 05-stateful-kv-cache"}};

void look_at_function(Check& check) {
  if (check.function().flexible().empty() || !writes_state(check.function())) return;
  if (check.function().has_flexible(FlexibleInput::Kind::kRange) ||
      check.function().has_flexible(FlexibleInput::Kind::kUnboundedRange)) {
    check.report("writes a state and takes a range of lengths");
  }
}

}  // namespace rule::flexible_state

ANEMONE_DEFINE_RULE(flexible_state) =
    sourced({.id = "flexible-state",
             .facts = rule::flexible_state::kFacts,
             .severity = Severity::kSilent,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M4 Max"},
             .looks_at = "functions that write a state and have an input of a range of lengths",
             .says = "a range of lengths with state writes sometimes writes to the wrong place",
             .rewrite = "fixed lengths; compare one row with several",
             .sources = rule::flexible_state::kSources,
             .function = rule::flexible_state::look_at_function});

}  // namespace anemone::lint
