#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::feature_floor {

constexpr std::string_view kFacts[] = {"R10"};
constexpr Source kSources[] = {{Confidence::kApple,
                                "apple/coremltools, docs-guides/source/opt-whats-new.md, "
                                "stateful-models.md and multifunction-models.md"}};

void look_at_function(Check& check) {
  if (check.function().target() >= check.function().opset()) return;
  const std::string target(mil::info(check.function().target()).target);
  for (const mil::Op* op : check.function().ops()) {
    if (op->def->since <= check.function().target()) continue;
    check.report_at(*op, std::string(op->type()) + " exists from " +
                             std::string(mil::info(op->def->since).target) + " on; the target is " +
                             target);
    return;
  }
}

void look_at_program(Check& check) {
  const auto& target = check.program().options.target;
  if (target && *target < mil::Opset::kIos18 && check.program().functions.size() > 1) {
    check.report("several functions need ios18; the target is " +
                 std::string(mil::info(*target).target));
  }
}

}  // namespace rule::feature_floor

ANEMONE_DEFINE_RULE(feature_floor) =
    sourced({.id = "feature-floor",
             .facts = rule::feature_floor::kFacts,
             .severity = Severity::kBuild,
             .confidence = Confidence::kApple,
             .looks_at = "ops, states and several functions against the target",
             .says = "a feature needs a later system than the target",
             .rewrite = "a later target, or an older form",
             .sources = rule::feature_floor::kSources,
             .function = rule::feature_floor::look_at_function,
             .program = rule::feature_floor::look_at_program});

}  // namespace anemone::lint
