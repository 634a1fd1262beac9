#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::infinite_mask {

constexpr std::string_view kFacts[] = {"N07"};
constexpr Source kSources[] = {
    {Confidence::kAppleOs27, from::kNeuralEngineRules},
    {Confidence::kApple, from::kAneTransformers},
    {Confidence::kMeasured,
     "john-rocky/CoreML-LLM@72178c6, docs/SESSION_2026_04_25_MASK_VALUE.md"}};

void look(Check& check, const mil::Op& op) {
  for (const mil::Input& input : op.inputs) {
    for (const mil::Value* value : input.values) {
      if (!value->is_constant() || !is_float(value->type.dtype) || input.name == "weight") continue;
      if (any_element(*value, 1 << 20, [](double v) { return v <= -65504; }))
        check.report(*value, "the constant bound to " + in_quotes(input.name) +
                                 " holds -inf or fp16's lowest number");
    }
  }
}

}  // namespace rule::infinite_mask

ANEMONE_DEFINE_RULE(infinite_mask) = sourced(
    {.id = "infinite-mask",
     .facts = rule::infinite_mask::kFacts,
     .severity = Severity::kSlow,
     .confidence = Confidence::kConflict,
     .looks_at = "constants of at most 1,048,576 elements that hold -inf or the lowest fp16 number",
     .says =
         "-inf in masks is mishandled by softmax in one account and the same as -1e4 in another",
     .rewrite = "-1e4",
     .disagreement = "Apple's text says softmax mishandles it and takes -4e4; CoreML-LLM saw the "
                     "same bits as with -1e4, perhaps on the CPU",
     .sources = rule::infinite_mask::kSources,
     .op = rule::infinite_mask::look});

}  // namespace anemone::lint
