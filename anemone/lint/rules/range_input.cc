#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::range_input {

constexpr std::string_view kFacts[] = {"S01"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, "apple/coremltools issues 2370, 1764 and 2600"},
    {Confidence::kMeasured, "FluidInference/FluidAudio issue 537"},
    {Confidence::kAppleOs27, from::kNeuralEngineRules},
    {Confidence::kMeasured, "videlalvaro/ane-book@4ab89e2, experiments/26"}};

void look_at_function(Check& check) {
  for (const FlexibleInput& input : check.function().flexible()) {
    if (input.kind == FlexibleInput::Kind::kEnumerated) continue;
    const mil::Value* value = check.function().function().find_input(input.input);
    if (value == nullptr) continue;
    check.report(*value, "the input " + in_quotes(input.input) + " takes a range of shapes");
  }
}

}  // namespace rule::range_input

ANEMONE_DEFINE_RULE(range_input) = sourced(
    {.id = "range-input",
     .facts = rule::range_input::kFacts,
     .severity = Severity::kSlow,
     .confidence = Confidence::kConflict,
     .scope = {.says = "macOS 14 to 26"},
     .looks_at = "inputs whose extents a call decides (RangeDim)",
     .says = "an input of a range of lengths keeps a program off the engine in most reports",
     .rewrite = "one function of fixed shape for each length",
     .disagreement = "most reports find little or nothing on the engine (0 % with random lengths); "
                     "ane-book had 80 of 80 convolutions there for lengths 1 to 4, after 112 to "
                     "133 s of compiling for each length",
     .sources = rule::range_input::kSources,
     .function = rule::range_input::look_at_function});

}  // namespace anemone::lint
