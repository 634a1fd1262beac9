#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::arg_reduce {

constexpr std::string_view kFacts[] = {"O12"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kSweep},
                               {Confidence::kMeasured, from::kQwen35Lessons}};
constexpr std::string_view kOps[] = {"reduce_argmax", "reduce_argmin"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) + " has no kernel on the Neural Engine");
}

}  // namespace rule::arg_reduce

ANEMONE_DEFINE_RULE(arg_reduce) = sourced({.id = "arg-reduce",
                                           .facts = rule::arg_reduce::kFacts,
                                           .severity = Severity::kLeavesAne,
                                           .confidence = Confidence::kMeasured,
                                           .looks_at = "reduce_argmax, reduce_argmin",
                                           .says = "argmax and argmin have no kernel",
                                           .rewrite = "take the largest on the host",
                                           .sources = rule::arg_reduce::kSources,
                                           .moves = true,
                                           .ops = rule::arg_reduce::kOps,
                                           .op = rule::arg_reduce::look});

}  // namespace anemone::lint
