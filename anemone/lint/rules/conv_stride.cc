#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::conv_stride {

constexpr std::string_view kFacts[] = {"O29"};
constexpr Source kSources[] = {{Confidence::kAppleOs27, from::kNeuralEngineRules}};
constexpr std::string_view kOps[] = {"conv", "conv_transpose"};

void look(Check& check, const mil::Op& op) {
  const auto strides = find_integers(op.find_input("strides"));
  if (!strides || strides->empty()) return;
  const mil::Value* weight = op.find_input("weight");
  const bool is_palettized =
      weight != nullptr && is_type(weight->producer, {"constexpr_lut_to_dense"});
  for (const std::int64_t stride : *strides) {
    std::int64_t rest = stride;
    while (rest > 1 && rest % 2 == 0) rest /= 2;
    while (rest > 1 && rest % 3 == 0) rest /= 3;
    if (stride > 2 && rest > 1) {
      check.report("a stride of " + std::to_string(stride));
      return;
    }
    if (stride > 2 && is_palettized) {
      check.report("a palettized kernel with a stride of " + std::to_string(stride));
      return;
    }
    if (stride != strides->front()) {
      check.report("unequal strides");
      return;
    }
  }
}

}  // namespace rule::conv_stride

ANEMONE_DEFINE_RULE(conv_stride) =
    sourced({.id = "conv-stride",
             .facts = rule::conv_stride::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kAppleOs27,
             .looks_at = "strides of conv",
             .says = "strides above 2 that are not 2^a * 3^b, and unequal strides, are slow or "
                     "leave the engine",
             .rewrite = "strides of 1, 2, 4, 6, 8, 9, 12, 16, 24 or 32, equal in both directions",
             .sources = rule::conv_stride::kSources,
             .ops = rule::conv_stride::kOps,
             .op = rule::conv_stride::look});

}  // namespace anemone::lint
