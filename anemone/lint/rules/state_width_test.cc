#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::state_width_test {

constexpr Example kExamples[] = {
    {.fact = "L11",
     .ports = "state<f16[1,270]> kv",
     .statements = R"(f16[1,270] y = read_state(input = kv);)",
     .message = "the state 'kv' is 270 wide, no multiple of 32"},
    {.fact = "L11",
     .ports = "state<f16[1,256]> kv",
     .statements = R"(f16[1,256] y = read_state(input = kv);)"},
    {.fact = "L11",
     .ports = "state<f16[1,96]> kv",
     .statements = R"(f16[1,96] y = read_state(input = kv);)"},
};

}  // namespace rule::state_width_test

ANEMONE_RULE_EXAMPLES(state_width) = rule::state_width_test::kExamples;

}  // namespace anemone::lint
