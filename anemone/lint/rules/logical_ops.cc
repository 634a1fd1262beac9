#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::logical_ops {

constexpr std::string_view kFacts[] = {"T07"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kIronmillOps},
                               {Confidence::kMeasured, from::kSweep}};
constexpr std::string_view kOps[] = {"logical_and", "logical_or", "logical_xor"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) +
               " has no kernel on the private route; comparisons, select and logical_not do");
}

}  // namespace rule::logical_ops

ANEMONE_DEFINE_RULE(logical_ops) =
    sourced({.id = "logical-ops",
             .facts = rule::logical_ops::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "h14g and M5, the private route"},
             .looks_at = "logical_and, logical_or, logical_xor",
             .says = "logical_and, or and xor have no kernel on the private route",
             .rewrite = "fp16 masks of 0 and 1: mul for and, maximum for or",
             .sources = rule::logical_ops::kSources,
             .is_direct = true,
             .ops = rule::logical_ops::kOps,
             .op = rule::logical_ops::look});

}  // namespace anemone::lint
