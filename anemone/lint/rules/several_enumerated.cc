#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::several_enumerated {

constexpr std::string_view kFacts[] = {"S04"};
constexpr Source kSources[] = {{Confidence::kApple, from::kFlexibleInputs}};

void look_at_function(Check& check) {
  std::uint64_t count = 0;
  for (const FlexibleInput& input : check.function().flexible())
    count += input.kind == FlexibleInput::Kind::kEnumerated;
  if (count > 1) check.report(counted(count, "input") + " of enumerated shapes");
}

}  // namespace rule::several_enumerated

ANEMONE_DEFINE_RULE(several_enumerated) =
    sourced({.id = "several-enumerated",
             .facts = rule::several_enumerated::kFacts,
             .severity = Severity::kBuild,
             .confidence = Confidence::kApple,
             .scope = {.says = "before iOS 18", .until = mil::Opset::kIos17},
             .looks_at = "functions with more than one enumerated input",
             .says = "before iOS 18 only one input may have enumerated shapes",
             .rewrite = "one flexible input",
             .sources = rule::several_enumerated::kSources,
             .function = rule::several_enumerated::look_at_function});

}  // namespace anemone::lint
