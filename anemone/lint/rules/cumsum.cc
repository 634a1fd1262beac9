#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::cumsum {

constexpr std::string_view kFacts[] = {"O10"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kSweep},
                               {Confidence::kMeasured, from::kForgeCapabilities}};
constexpr std::string_view kOps[] = {"cumsum"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) + " has no kernel on the Neural Engine");
}

}  // namespace rule::cumsum

ANEMONE_DEFINE_RULE(cumsum) = sourced({.id = "cumsum",
                                       .facts = rule::cumsum::kFacts,
                                       .severity = Severity::kLeavesAne,
                                       .confidence = Confidence::kMeasured,
                                       .looks_at = "cumsum",
                                       .says = "cumsum has no kernel",
                                       .rewrite = "a product with a triangle of ones",
                                       .sources = rule::cumsum::kSources,
                                       .moves = true,
                                       .ops = rule::cumsum::kOps,
                                       .op = rule::cumsum::look});

}  // namespace anemone::lint
