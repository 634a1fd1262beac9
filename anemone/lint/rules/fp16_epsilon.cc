#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::fp16_epsilon {

constexpr std::string_view kFacts[] = {"T14"};
constexpr Source kSources[] = {
    {Confidence::kDerived,
     "fp16: the smallest normal number is 6.1e-5; pattern seen in ane-book, experiments/27"}};
constexpr std::string_view kOps[] = {"add"};

void look(Check& check, const mil::Op& op) {
  if (op.output()->type.dtype != DType::kF16) return;
  for (const std::string_view side : {"x", "y"}) {
    const auto number = find_number(op.find_input(side));
    if (!number || *number <= 0 || *number >= 6.1e-5) continue;
    check.report("adds an epsilon that is subnormal in fp16");
    return;
  }
}

}  // namespace rule::fp16_epsilon

ANEMONE_DEFINE_RULE(fp16_epsilon) =
    sourced({.id = "fp16-epsilon",
             .facts = rule::fp16_epsilon::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kDerived,
             .looks_at = "adding a constant in (0, 6.1e-5) in fp16",
             .says = "an epsilon below 6.1e-5 is no normal fp16 number and may flush to zero; a "
                     "row of zeros then divides by zero",
             .rewrite = "leave epsilon to a fused layer_norm, or take a larger floor",
             .sources = rule::fp16_epsilon::kSources,
             .ops = rule::fp16_epsilon::kOps,
             .op = rule::fp16_epsilon::look});

}  // namespace anemone::lint
