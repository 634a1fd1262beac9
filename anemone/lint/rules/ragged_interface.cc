#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::ragged_interface {

constexpr std::string_view kFacts[] = {"L08"};
constexpr Source kSources[] = {{Confidence::kAppleOs27, from::kNeuralEngineRules},
                               {Confidence::kMeasured, from::kTinygrad}};

void look_at_function(Check& check) {
  const auto look = [&](const mil::Value& value, const std::string& role) {
    if (!value.type.is_tensor() || !value.type.is_static() || value.type.rank() == 0) return;
    const std::int64_t last = extent(value, -1);
    const std::int64_t bytes = times(last, width_bits(value.type.dtype)) / 8;
    if (elements(value) <= 32 || last == 1 || bytes % 64 == 0) return;
    check.report(value, "the last axis of the " + role + " " + in_quotes(value.name) + " is " +
                            std::to_string(bytes) + " bytes, no multiple of 64");
  };
  for (const auto& input : check.function().function().inputs) look(*input, "input");
  for (const mil::Value* output : check.function().function().body.outputs) look(*output, "output");
}

}  // namespace rule::ragged_interface

ANEMONE_DEFINE_RULE(ragged_interface) = sourced(
    {.id = "ragged-interface",
     .facts = rule::ragged_interface::kFacts,
     .severity = Severity::kSlow,
     .confidence = Confidence::kAppleOs27,
     .looks_at = "the last axis of inputs and outputs of more than 32 elements",
     .says = "a last axis that is no multiple of 64 bytes is padded and copied at every call",
     .rewrite = "a last axis that is a multiple of 32 fp16 values",
     .sources = rule::ragged_interface::kSources,
     .function = rule::ragged_interface::look_at_function});

}  // namespace anemone::lint
