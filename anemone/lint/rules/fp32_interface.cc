#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::fp32_interface {

constexpr std::string_view kFacts[] = {"T12"};
constexpr Source kSources[] = {
    {Confidence::kApple, "apple/coremltools, docs-guides/source/model-input-and-output-types.md"},
    {Confidence::kMeasured, from::kMobius}};

void look_at_function(Check& check) {
  for (const auto& input : check.function().function().inputs) {
    if (input->type.is_tensor() && input->type.dtype == DType::kF32) {
      check.report(*input, "the input " + in_quotes(input->name) + " is fp32");
    }
  }
  for (const mil::Value* output : check.function().function().body.outputs) {
    if (output->type.is_tensor() && output->type.dtype == DType::kF32) {
      check.report(*output, "the output " + in_quotes(output->name) + " is fp32");
    }
  }
}

}  // namespace rule::fp32_interface

ANEMONE_DEFINE_RULE(fp32_interface) =
    sourced({.id = "fp32-interface",
             .facts = rule::fp32_interface::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kApple,
             .looks_at = "fp32 inputs and outputs of functions; not a matter of placement (1,918 "
                         "of 1,919 ops were placed behind fp32 inputs)",
             .says = "fp32 inputs and outputs are converted at every call",
             .rewrite = "target iOS 16 / macOS 13 or later and give inputs and outputs fp16",
             .sources = rule::fp32_interface::kSources,
             .function = rule::fp32_interface::look_at_function});

}  // namespace anemone::lint
