#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::bf16 {

constexpr std::string_view kFacts[] = {"T05"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeCapabilities}};

void look(Check& check, const mil::Op& op) {
  for (const auto& output : op.outputs) {
    if (output->type.dtype == DType::kBF16) check.report(*output, "gives a bf16 tensor");
  }
}

}  // namespace rule::bf16

ANEMONE_DEFINE_RULE(bf16) =
    sourced({.id = "bf16",
             .facts = rule::bf16::kFacts,
             .severity = Severity::kRejected,
             .confidence = Confidence::kMeasured,
             .looks_at = "values of type bf16",
             .says = "the Neural Engine takes no bf16",
             .rewrite = "convert to fp16 offline, with a check of the range",
             .sources = rule::bf16::kSources,
             .moves = true,
             .op = rule::bf16::look});

}  // namespace anemone::lint
