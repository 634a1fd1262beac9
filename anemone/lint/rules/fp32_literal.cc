#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::fp32_literal {

constexpr std::string_view kFacts[] = {"T03"};
constexpr Source kSources[] = {{Confidence::kAppleOs27, from::kNeuralEngineRules}};

void look(Check& check, const mil::Op& op) {
  if (!is_float_op(op) || op.output()->type.dtype != DType::kF32 || op.type() == "cast") return;
  if (!check.function().has_half_op()) return;
  for (const mil::Input& input : op.inputs) {
    if (input.name != "x" && input.name != "y") continue;
    for (const mil::Value* value : input.values) {
      if (value->is_constant() && value->type.dtype == DType::kF32) {
        check.report(*value, "takes an fp32 constant as " + in_quotes(input.name));
      }
    }
  }
}

}  // namespace rule::fp32_literal

ANEMONE_DEFINE_RULE(fp32_literal) = sourced(
    {.id = "fp32-literal",
     .facts = rule::fp32_literal::kFacts,
     .severity = Severity::kSlow,
     .confidence = Confidence::kAppleOs27,
     .scope = {.says = "Core AI's exporter; in a Core ML program it shows as an fp32 island"},
     .looks_at = "fp32 constants that an op of an fp16 function takes",
     .says = "an fp32 constant in an fp16 function pulls what touches it to fp32",
     .rewrite = "give the constant the dtype of the tensor that it meets",
     .sources = rule::fp32_literal::kSources,
     .op = rule::fp32_literal::look});

}  // namespace anemone::lint
