#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::runtime_conv_weight {

constexpr std::string_view kFacts[] = {"O33"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kFieldGuide}};
constexpr std::string_view kOps[] = {"conv", "conv_transpose"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* weight = op.find_input("weight");
  if (weight != nullptr && !mil::is_fixed(*weight))
    check.report(*weight, "the weight " + in_quotes(weight->name) + " is decided by each call");
}

}  // namespace rule::runtime_conv_weight

ANEMONE_DEFINE_RULE(runtime_conv_weight) =
    sourced({.id = "runtime-conv-weight",
             .facts = rule::runtime_conv_weight::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M3 Max, the private route"},
             .looks_at = "conv whose weight a call decides",
             .says = "a convolution by a run-time tensor ignored the tensor on the private route",
             .rewrite = "matmul",
             .sources = rule::runtime_conv_weight::kSources,
             .is_direct = true,
             .ops = rule::runtime_conv_weight::kOps,
             .op = rule::runtime_conv_weight::look});

}  // namespace anemone::lint
