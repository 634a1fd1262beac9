#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::two_states {

constexpr std::string_view kFacts[] = {"K05"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, from::kMlState},
    {Confidence::kMeasured, "john-rocky/CoreML-LLM@72178c6, docs/LFM2_CONVERSION_FINDINGS.md"},
    {Confidence::kMeasured, from::kAneBook}};

void look_at_function(Check& check) {
  const auto states = check.function().states();
  if (states.size() == 2)
    check.report(*states.front(), "two states: " + in_quotes(states[0]->name) + " and " +
                                      in_quotes(states[1]->name));
}

}  // namespace rule::two_states

ANEMONE_DEFINE_RULE(two_states) =
    sourced({.id = "two-states",
             .facts = rule::two_states::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kConflict,
             .looks_at = "functions with exactly two states",
             .says = "two states work for some models and fail for others",
             .rewrite = "one unified state, or the second as input and output",
             .disagreement = "fine for Gemma 4 and in ane-book's shards; LFM2 fails on macOS "
                             "26.0.1 even if one of them is only read",
             .sources = rule::two_states::kSources,
             .function = rule::two_states::look_at_function});

}  // namespace anemone::lint
