#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::mod_prod {

constexpr std::string_view kFacts[] = {"O18"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kIronmillOps},
                               {Confidence::kMeasured, from::kSweep}};
constexpr std::string_view kOps[] = {"mod", "reduce_prod"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) + " has no kernel on the Neural Engine");
}

}  // namespace rule::mod_prod

ANEMONE_DEFINE_RULE(mod_prod) = sourced({.id = "mod-prod",
                                         .facts = rule::mod_prod::kFacts,
                                         .severity = Severity::kLeavesAne,
                                         .confidence = Confidence::kMeasured,
                                         .looks_at = "mod, reduce_prod",
                                         .says = "mod and reduce_prod have no kernel",
                                         .rewrite = "x - floor(x / y) * y; exp of the sum of log",
                                         .sources = rule::mod_prod::kSources,
                                         .moves = true,
                                         .ops = rule::mod_prod::kOps,
                                         .op = rule::mod_prod::look});

}  // namespace anemone::lint
