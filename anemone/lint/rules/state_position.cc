#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::state_position {

constexpr std::string_view kFacts[] = {"K03"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kMlState},
                               {Confidence::kMeasured, "Anemll/Anemll@6ecb10d, qwen_converter.py"}};

void look(Check& check, const mil::Op& op) {
  if (check.function().is_state_position(op)) check.report("only says where a state is written");
}

}  // namespace rule::state_position

ANEMONE_DEFINE_RULE(state_position) = sourced(
    {.id = "state-position",
     .facts = rule::state_position::kFacts,
     .severity = Severity::kNote,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "iOS 18, macOS 15 and later; A19 Pro, M4"},
     .looks_at = "int32 ops whose only consumers are begin and end of state updates",
     .says = "int32 arithmetic that only says where a state is written runs, in one unified rank-4 "
             "state",
     .rewrite = "nothing: this is the form known to run; a blend under a mask needs no integers",
     .sources = rule::state_position::kSources,
     .op = rule::state_position::look});

}  // namespace anemone::lint
