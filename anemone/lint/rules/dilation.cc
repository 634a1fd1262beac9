#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::dilation {

constexpr std::string_view kFacts[] = {"O30"};
constexpr Source kSources[] = {{Confidence::kAppleOs27, from::kNeuralEngineRules},
                               {Confidence::kFolklore, from::kHollance}};
constexpr std::string_view kOps[] = {"conv", "conv_transpose"};

void look(Check& check, const mil::Op& op) {
  const auto dilations = find_integers(op.find_input("dilations"));
  if (!dilations) return;
  for (const std::int64_t dilation : *dilations) {
    if (dilation <= 3) continue;
    check.report("a dilation of " + std::to_string(dilation));
    return;
  }
}

}  // namespace rule::dilation

ANEMONE_DEFINE_RULE(dilation) =
    sourced({.id = "dilation",
             .facts = rule::dilation::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kAppleOs27,
             .looks_at = "conv with a dilation over 3",
             .says = "large dilations are slow; old systems take them off the engine",
             .rewrite = "factor into dilations of 2 and 3",
             .sources = rule::dilation::kSources,
             .ops = rule::dilation::kOps,
             .op = rule::dilation::look});

}  // namespace anemone::lint
