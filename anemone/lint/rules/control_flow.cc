#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::control_flow {

constexpr std::string_view kFacts[] = {"O14"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kSweep}};
constexpr std::string_view kOps[] = {"cond",        "while_loop", "make_list",    "list_gather",
                                     "list_length", "list_read",  "list_scatter", "list_write"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) + " has no kernel on the Neural Engine");
}

}  // namespace rule::control_flow

ANEMONE_DEFINE_RULE(control_flow) =
    sourced({.id = "control-flow",
             .facts = rule::control_flow::kFacts,
             .severity = Severity::kLeavesAne,
             .confidence = Confidence::kMeasured,
             .looks_at = "cond, while_loop, make_list, list_gather, list_length, list_read, "
                         "list_scatter, list_write",
             .says = "control flow and lists have no kernel",
             .rewrite = "unroll, or make functions of the branches",
             .sources = rule::control_flow::kSources,
             .moves = true,
             .ops = rule::control_flow::kOps,
             .op = rule::control_flow::look});

}  // namespace anemone::lint
