#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::state_type_test {

constexpr Example kExamples[] = {
    {.fact = "K01",
     .ports = "state<f32[1,32]> kv",
     .statements = R"(f32[1,32] y = read_state(input = kv);)",
     .message = "the state 'kv' is fp32"},
    {.fact = "K01",
     .ports = "state<f16[1,32]> kv",
     .statements = R"(f16[1,32] y = read_state(input = kv);)"},
};

}  // namespace rule::state_type_test

ANEMONE_RULE_EXAMPLES(state_type) = rule::state_type_test::kExamples;

}  // namespace anemone::lint
