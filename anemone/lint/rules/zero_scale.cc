#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::zero_scale {

constexpr std::string_view kFacts[] = {"W15"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kDecodeLayouts}};
constexpr std::string_view kOps[] = {"constexpr_blockwise_shift_scale",
                                     "constexpr_affine_dequantize", "quantize", "dequantize"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* scale = op.find_input("scale");
  if (scale != nullptr && any_element(*scale, 1 << 20, [](double v) { return v == 0; }))
    check.report(*scale, "a scale is 0");
}

}  // namespace rule::zero_scale

ANEMONE_DEFINE_RULE(zero_scale) =
    sourced({.id = "zero-scale",
             .facts = rule::zero_scale::kFacts,
             .severity = Severity::kNumeric,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "coremltools 8 and 9"},
             .looks_at = "scales of at most 1,048,576 elements that hold a 0",
             .says = "a scale of 0, as of a tensor of zeros, gives NaN",
             .rewrite = "leave such tensors alone, or palettize them",
             .sources = rule::zero_scale::kSources,
             .ops = rule::zero_scale::kOps,
             .op = rule::zero_scale::look});

}  // namespace anemone::lint
