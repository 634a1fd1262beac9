#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::long_state {

constexpr std::string_view kFacts[] = {"K16"};
constexpr Source kSources[] = {{Confidence::kMeasured,
                                "john-rocky/CoreML-LLM@72178c6, docs/DECODE_STATE_LAYOUTS.md "
                                "(Bonsai-1.7B: 4,096 4.9 tokens/s, 2,048 9.4, 1,024 24.1)"},
                               {Confidence::kDerived, "Qwen3-0.6B reads 112 KiB a position"}};

void look_at_function(Check& check) {
  for (const mil::Value* state : check.function().states()) {
    const std::int64_t length = std::max(extent(*state, -1), extent(*state, -2));
    if (length < 2048) continue;
    check.report(*state, "the state " + in_quotes(state->name) + " is " +
                             grouped(static_cast<std::uint64_t>(length)) + " positions long, " +
                             megabytes(mil::size_bytes(state->type)) + " read at every step");
  }
}

}  // namespace rule::long_state

ANEMONE_DEFINE_RULE(long_state) =
    sourced({.id = "long-state",
             .facts = rule::long_state::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M4"},
             .looks_at = "states with an axis of 2,048 and more among the last two",
             .says = "the time of a step follows the length of the state",
             .rewrite = "a ladder of short contexts, or a sliding window",
             .sources = rule::long_state::kSources,
             .function = rule::long_state::look_at_function});

}  // namespace anemone::lint
