#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::zero_epsilon {

constexpr std::string_view kFacts[] = {"O19"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kIronmillOps}};
constexpr std::string_view kOps[] = {"rsqrt", "log", "inverse"};

void look(Check& check, const mil::Op& op) {
  const auto epsilon = find_number(op.find_input("epsilon"));
  if (epsilon && *epsilon == 0) check.report(std::string(op.type()) + " has an epsilon of 0");
}

}  // namespace rule::zero_epsilon

ANEMONE_DEFINE_RULE(zero_epsilon) =
    sourced({.id = "zero-epsilon",
             .facts = rule::zero_epsilon::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "the private route; in Core ML the ops carry one"},
             .looks_at = "rsqrt, log and inverse with epsilon 0",
             .says = "rsqrt, log and inverse without an epsilon are refused on the private route",
             .rewrite = "leave epsilon at its default, or give one",
             .sources = rule::zero_epsilon::kSources,
             .is_direct = true,
             .ops = rule::zero_epsilon::kOps,
             .op = rule::zero_epsilon::look});

}  // namespace anemone::lint
