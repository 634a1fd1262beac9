#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::dynamic_range {

constexpr std::string_view kFacts[] = {"O08"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kSweep}};
constexpr std::string_view kOps[] = {"range_1d"};

void look(Check& check, const mil::Op& op) {
  for (const std::string_view part : {"end", "start", "step"}) {
    const mil::Value* value = op.find_input(part);
    if (value != nullptr && !mil::is_fixed(*value)) {
      check.report("counts with " + in_quotes(part) + " decided by each call");
      return;
    }
  }
}

}  // namespace rule::dynamic_range

ANEMONE_DEFINE_RULE(dynamic_range) =
    sourced({.id = "dynamic-range",
             .facts = rule::dynamic_range::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M5, the private route"},
             .looks_at = "range_1d with an end, start or step that a call decides",
             .says = "range_1d of a run-time length has no kernel on the private route",
             .rewrite = "precompute the longest and slice, or pass it in",
             .sources = rule::dynamic_range::kSources,
             .is_direct = true,
             .ops = rule::dynamic_range::kOps,
             .op = rule::dynamic_range::look});

}  // namespace anemone::lint
