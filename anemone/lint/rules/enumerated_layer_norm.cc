#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::enumerated_layer_norm {

constexpr std::string_view kFacts[] = {"O37"};
constexpr Source kSources[] = {{Confidence::kMeasured, "apple/coremltools issue 1909 (2023)"}};
constexpr std::string_view kOps[] = {"layer_norm"};

void look(Check& check, const mil::Op&) {
  if (check.function().has_flexible(FlexibleInput::Kind::kEnumerated))
    check.report("layer_norm in a function with enumerated shapes");
}

}  // namespace rule::enumerated_layer_norm

ANEMONE_DEFINE_RULE(enumerated_layer_norm) = sourced(
    {.id = "enumerated-layer-norm",
     .facts = rule::enumerated_layer_norm::kFacts,
     .severity = Severity::kLeavesAne,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "seen in 2023"},
     .looks_at = "layer_norm in a function with an enumerated input",
     .says = "layer_norm under enumerated shapes leaves the engine; fixed shapes and ranges do not",
     .rewrite = "fixed shapes",
     .sources = rule::enumerated_layer_norm::kSources,
     .moves = true,
     .ops = rule::enumerated_layer_norm::kOps,
     .op = rule::enumerated_layer_norm::look});

}  // namespace anemone::lint
