#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::state_width {

constexpr std::string_view kFacts[] = {"L11"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, "apple/coremltools issue 2631 (270 fails, 256 works)"}};

void look_at_function(Check& check) {
  for (const mil::Value* state : check.function().states()) {
    const std::int64_t width = extent(*state, -1);
    if (width % 32 == 0 || width < 0) continue;
    check.report(*state, "the state " + in_quotes(state->name) + " is " + std::to_string(width) +
                             " wide, no multiple of 32");
  }
}

}  // namespace rule::state_width

ANEMONE_DEFINE_RULE(state_width) =
    sourced({.id = "state-width",
             .facts = rule::state_width::kFacts,
             .severity = Severity::kRejected,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M4, macOS 15.2, Xcode 16.3"},
             .looks_at = "the last axis of states",
             .says = "a state whose width is no multiple of 32 fails to load",
             .rewrite = "pad the width to a multiple of 32",
             .sources = rule::state_width::kSources,
             .function = rule::state_width::look_at_function});

}  // namespace anemone::lint
