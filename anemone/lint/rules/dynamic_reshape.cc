#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::dynamic_reshape {

constexpr std::string_view kFacts[] = {"O07"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kSweep}};
constexpr std::string_view kOps[] = {"shape", "reshape_like", "reshape"};

void look(Check& check, const mil::Op& op) {
  if (op.type() != "reshape") {
    check.report(std::string(op.type()) + " has no kernel on the Neural Engine");
    return;
  }
  const mil::Value* shape = op.find_input("shape");
  if (shape != nullptr && !mil::is_fixed(*shape))
    check.report("reshapes to a shape that each call decides");
}

}  // namespace rule::dynamic_reshape

ANEMONE_DEFINE_RULE(dynamic_reshape) =
    sourced({.id = "dynamic-reshape",
             .facts = rule::dynamic_reshape::kFacts,
             .severity = Severity::kLeavesAne,
             .confidence = Confidence::kMeasured,
             .looks_at = "shape, reshape_like, and reshape to a shape that a call decides",
             .says = "shape arithmetic inside the program has no kernel",
             .rewrite = "constant shapes",
             .sources = rule::dynamic_reshape::kSources,
             .moves = true,
             .ops = rule::dynamic_reshape::kOps,
             .op = rule::dynamic_reshape::look});

}  // namespace anemone::lint
