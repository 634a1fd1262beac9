#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::nan_constant {

constexpr std::string_view kFacts[] = {"T11"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeCapabilities},
                               {Confidence::kMeasured, "FluidInference/FluidAudio issue 679"}};

bool is_bad(const mil::Value& value) {
  return value.is_constant() && is_float(value.type.dtype) &&
         any_element(value, 65536,
                     [](double v) { return std::isnan(v) || (std::isinf(v) && v > 0); });
}

void look(Check& check, const mil::Op& op) {
  for (const mil::Input& input : op.inputs) {
    for (const mil::Value* value : input.values) {
      if (is_bad(*value)) {
        check.report(*value,
                     "the constant bound to " + in_quotes(input.name) + " holds NaN or +inf");
      }
      // What a palette or a scale holds, the constant holds.
      const mil::Op* from = value->producer;
      if (from == nullptr || !from->type().starts_with("constexpr_")) continue;
      for (const mil::Input& part : from->inputs) {
        for (const mil::Value* stored : part.values) {
          if (!is_bad(*stored)) continue;
          check.report(*value, "the compressed constant bound to " + in_quotes(input.name) +
                                   " holds NaN or +inf in its " + in_quotes(part.name));
        }
      }
    }
  }
}

}  // namespace rule::nan_constant

ANEMONE_DEFINE_RULE(nan_constant) =
    sourced({.id = "nan-constant",
             .facts = rule::nan_constant::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M5 on the private route; Core ML in one report"},
             .looks_at = "constants of at most 65,536 elements, and palettes and scales of "
                         "compressed ones, that hold NaN or +inf",
             .says = "NaN and +inf do not travel through the Neural Engine as they do elsewhere",
             .rewrite = "never use them as marks; large finite values instead",
             .sources = rule::nan_constant::kSources,
             .op = rule::nan_constant::look});

}  // namespace anemone::lint
