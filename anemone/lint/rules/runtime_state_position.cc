#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::runtime_state_position {

constexpr std::string_view kFacts[] = {"O04"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, "apple/coreai-torch issue 6 (compiler crash; constants are fine)"},
    {Confidence::kMeasured, from::kMlState},
    {Confidence::kMeasured, from::kAnemll}};
constexpr std::string_view kOps[] = {"slice_update"};

void look(Check& check, const mil::Op& op) {
  for (const std::string_view corner : {"begin", "end"}) {
    const mil::Value* value = op.find_input(corner);
    if (value == nullptr || mil::is_fixed(*value)) continue;
    if (!is_type(find_maker(op.find_input("x")), {"read_state", "slice_update"})) continue;
    check.report(
        "writes to a state at a position that each call decides; sources disagree whether that "
        "runs");
    return;
  }
}

}  // namespace rule::runtime_state_position

ANEMONE_DEFINE_RULE(runtime_state_position) = sourced(
    {.id = "runtime-state-position",
     .facts = rule::runtime_state_position::kFacts,
     .severity = Severity::kNote,
     .confidence = Confidence::kConflict,
     .looks_at = "slice_update of a state with begin or end that a call decides",
     .says =
         "a state update at a run-time position is refused by one front end and works in another",
     .rewrite = "a blend under a mask needs no position; measure both",
     .disagreement = "Core AI's compiler crashed on it; CoreML-LLM and ANEMLL run it with one "
                     "unified rank-4 state",
     .sources = rule::runtime_state_position::kSources,
     .ops = rule::runtime_state_position::kOps,
     .op = rule::runtime_state_position::look});

}  // namespace anemone::lint
