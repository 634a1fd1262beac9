#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::unbounded_range {

constexpr std::string_view kFacts[] = {"S02"};
constexpr Source kSources[] = {{Confidence::kApple, from::kFlexibleInputs}};

void look_at_function(Check& check) {
  for (const FlexibleInput& input : check.function().flexible()) {
    if (input.kind != FlexibleInput::Kind::kUnboundedRange) continue;
    const mil::Value* value = check.function().function().find_input(input.input);
    if (value != nullptr)
      check.report(*value,
                   "the range of the input " + in_quotes(input.input) + " has no upper bound");
  }
}

}  // namespace rule::unbounded_range

ANEMONE_DEFINE_RULE(unbounded_range) =
    sourced({.id = "unbounded-range",
             .facts = rule::unbounded_range::kFacts,
             .severity = Severity::kBuild,
             .confidence = Confidence::kApple,
             .looks_at = "inputs described with a range without upper bound",
             .says = "an ML Program's range needs an upper bound",
             .rewrite = "give the range an upper bound",
             .sources = rule::unbounded_range::kSources,
             .function = rule::unbounded_range::look_at_function});

}  // namespace anemone::lint
