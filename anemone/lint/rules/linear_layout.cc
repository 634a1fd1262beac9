#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::linear_layout {

constexpr std::string_view kFacts[] = {"L12"};
constexpr Source kSources[] = {{Confidence::kApple, from::kAneTransformers},
                               {Confidence::kAppleOs27, from::kNeuralEngineRules},
                               {Confidence::kMeasured, from::kMaderix},
                               {Confidence::kMeasured, from::kMobius}};
constexpr std::string_view kOps[] = {"linear", "matmul"};

void look(Check& check, const mil::Op& op) {
  if (find_weight(op) == nullptr || output_channels(op) < 32) return;
  check.report("a projection written as " + std::string(op.type()));
}

}  // namespace rule::linear_layout

ANEMONE_DEFINE_RULE(linear_layout) =
    sourced({.id = "linear-layout",
             .facts = rule::linear_layout::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kApple,
             .looks_at = "linear, and matmul by a constant; not a matter of placement (mobius had "
                         "plain linear layers placed)",
             .says = "projections on (B, S, C) are about three times as slow as 1x1 convolutions "
                     "on (B, C, 1, S)",
             .rewrite = "conv with a 1x1 kernel on (B, C, 1, S)",
             .sources = rule::linear_layout::kSources,
             .ops = rule::linear_layout::kOps,
             .op = rule::linear_layout::look});

}  // namespace anemone::lint
