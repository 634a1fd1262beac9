#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::softplus {

constexpr std::string_view kFacts[] = {"O26"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeQuirks},
                               {Confidence::kMeasured, "apple/coremltools issue 2359"}};
constexpr std::string_view kOps[] = {"softplus", "softplus_parametric"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) + " overflows or loses accuracy in fp16");
}

}  // namespace rule::softplus

ANEMONE_DEFINE_RULE(softplus) =
    sourced({.id = "softplus",
             .facts = rule::softplus::kFacts,
             .severity = Severity::kNumeric,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M-series chips"},
             .looks_at = "softplus, softplus_parametric",
             .says = "softplus, and Mish which is made of it, lose accuracy or overflow in fp16",
             .rewrite = "the stable form: max(x, 0) + log(1 + exp(-|x|))",
             .sources = rule::softplus::kSources,
             .ops = rule::softplus::kOps,
             .op = rule::softplus::look});

}  // namespace anemone::lint
