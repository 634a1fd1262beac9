#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::many_states {

constexpr std::string_view kFacts[] = {"K07"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kPostTrain},
                               {Confidence::kMeasured, from::kMobius},
                               {Confidence::kMeasured, from::kSpeechSwift},
                               {Confidence::kFolklore, "blog.squeezebits.com, August 2025"}};

void look_at_function(Check& check) {
  const auto states = check.function().states();
  if (states.size() > 2) check.report(*states.front(), counted(states.size(), "state"));
}

}  // namespace rule::many_states

ANEMONE_DEFINE_RULE(many_states) =
    sourced({.id = "many-states",
             .facts = rule::many_states::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kConflict,
             .scope = {.says = "macOS 15 to 26"},
             .looks_at = "functions with more than two states",
             .says = "a state for each layer's keys and values fails to load in most reports",
             .rewrite = "one unified state of rank 4 a package, (2L, K, context, D)",
             .disagreement = "28 pairs failed in posttrainllm, mobius and speech-swift; "
                             "speech-swift's two halves of 14 pairs are reported to run",
             .sources = rule::many_states::kSources,
             .function = rule::many_states::look_at_function});

}  // namespace anemone::lint
