#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::sin_cos {

constexpr std::string_view kFacts[] = {"O16"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeTargets},
                               {Confidence::kMeasured, from::kIronmillOps}};
constexpr std::string_view kOps[] = {"sin", "cos"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) + " has no kernel on M1 and M2");
}

}  // namespace rule::sin_cos

ANEMONE_DEFINE_RULE(sin_cos) = sourced(
    {.id = "sin-cos",
     .facts = rule::sin_cos::kFacts,
     .severity = Severity::kLeavesAne,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "M1 and M2 generations; refused on h14g as well", .last_generation = 2},
     .looks_at = "sin, cos",
     .says = "sin and cos have no kernel on M1 and M2",
     .rewrite = "pass rows of cos and sin in",
     .sources = rule::sin_cos::kSources,
     .moves = true,
     .ops = rule::sin_cos::kOps,
     .op = rule::sin_cos::look});

}  // namespace anemone::lint
