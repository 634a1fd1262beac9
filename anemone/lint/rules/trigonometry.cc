#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::trigonometry {

constexpr std::string_view kFacts[] = {"O17"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kSweep},
                               {Confidence::kMeasured, from::kIronmillOps}};
constexpr std::string_view kOps[] = {"tan", "acos", "asin", "atanh", "sinh", "cosh"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) + " has no kernel on the Neural Engine");
}

}  // namespace rule::trigonometry

ANEMONE_DEFINE_RULE(trigonometry) = sourced({.id = "trigonometry",
                                             .facts = rule::trigonometry::kFacts,
                                             .severity = Severity::kLeavesAne,
                                             .confidence = Confidence::kMeasured,
                                             .looks_at = "tan, acos, asin, atanh, sinh, cosh",
                                             .says = "these functions have no kernel",
                                             .rewrite = "identities over exp",
                                             .sources = rule::trigonometry::kSources,
                                             .moves = true,
                                             .ops = rule::trigonometry::kOps,
                                             .op = rule::trigonometry::look});

}  // namespace anemone::lint
