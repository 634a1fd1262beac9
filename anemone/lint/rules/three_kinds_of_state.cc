#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::three_kinds_of_state {

constexpr std::string_view kFacts[] = {"K06"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kMlState}};

void look_at_function(Check& check) {
  std::vector<mil::Type> kinds;
  for (const mil::Value* state : check.function().states()) {
    if (std::find(kinds.begin(), kinds.end(), state->type) == kinds.end())
      kinds.push_back(state->type);
  }
  if (kinds.size() >= 3) check.report(std::to_string(kinds.size()) + " kinds of state");
}

}  // namespace rule::three_kinds_of_state

ANEMONE_DEFINE_RULE(three_kinds_of_state) =
    sourced({.id = "three-kinds-of-state",
             .facts = rule::three_kinds_of_state::kFacts,
             .severity = Severity::kRejected,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "iOS 18 to 26"},
             .looks_at = "states of three and more different types in a function",
             .says = "with three kinds of state the plan looks right, but predictions fail",
             .rewrite = "one unified state of rank 4",
             .sources = rule::three_kinds_of_state::kSources,
             .function = rule::three_kinds_of_state::look_at_function});

}  // namespace anemone::lint
