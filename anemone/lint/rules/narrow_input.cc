#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::narrow_input {

constexpr std::string_view kFacts[] = {"L10"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kFieldGuide},
                               {Confidence::kMeasured, from::kIronmillConstraints}};

void look_at_function(Check& check) {
  for (const auto& input : check.function().function().inputs) {
    if (!input->type.is_tensor() || input->type.dtype != DType::kF16 || input->type.rank() < 3)
      continue;
    const std::int64_t width = extent(*input, -1);
    if (width < 0 || width >= 32) continue;
    check.report(*input,
                 "the input " + in_quotes(input->name) + " is " + std::to_string(width) + " wide");
  }
}

}  // namespace rule::narrow_input

ANEMONE_DEFINE_RULE(narrow_input) = sourced(
    {.id = "narrow-input",
     .facts = rule::narrow_input::kFacts,
     .severity = Severity::kNote,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "M3 Max and h14g, the private route"},
     .looks_at = "fp16 inputs of rank 3 and more with a last axis under 32",
     .says = "inputs narrower than 32 give garbage, or are refused from about 768 channels on",
     .rewrite = "pad, or make the hidden axis the last one",
     .sources = rule::narrow_input::kSources,
     .is_direct = true,
     .function = rule::narrow_input::look_at_function});

}  // namespace anemone::lint
