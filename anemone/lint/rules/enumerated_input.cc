#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::enumerated_input {

constexpr std::string_view kFacts[] = {"S03"};
constexpr Source kSources[] = {
    {Confidence::kApple, from::kFlexibleInputs},
    {Confidence::kMeasured, "apple/coremltools issues 2370 and 989"},
    {Confidence::kMeasured, from::kSpeechSwift},
    {Confidence::kMeasured, "videlalvaro/ane-book@4ab89e2, experiments/26"}};

void look_at_function(Check& check) {
  for (const FlexibleInput& input : check.function().flexible()) {
    if (input.kind != FlexibleInput::Kind::kEnumerated) continue;
    const mil::Value* value = check.function().function().find_input(input.input);
    if (value == nullptr) continue;
    check.report(*value,
                 "the input " + in_quotes(input.input) + " takes " +
                     counted(static_cast<std::uint64_t>(input.shapes), "shape") +
                     (check.function().states().empty() ? "" : ", in a function with states"));
  }
}

}  // namespace rule::enumerated_input

ANEMONE_DEFINE_RULE(enumerated_input) =
    sourced({.id = "enumerated-input",
             .facts = rule::enumerated_input::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kConflict,
             .looks_at = "inputs of enumerated shapes",
             .says = "enumerated shapes are Apple's preferred flexible form, yet fall off the "
                     "engine in reports, and fail with states",
             .rewrite = "a few functions of fixed shape",
             .disagreement =
                 "Apple recommends them (at most 128 shapes); random switching left 2 % on the "
                 "engine, 28 layers were not placed, and with a state the load threw std::bad_cast",
             .sources = rule::enumerated_input::kSources,
             .function = rule::enumerated_input::look_at_function});

}  // namespace anemone::lint
