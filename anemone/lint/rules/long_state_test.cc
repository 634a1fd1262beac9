#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::long_state_test {

constexpr Example kExamples[] = {
    {.fact = "K16",
     .ports = "state<f16[1,2,2048,32]> kv",
     .statements = R"(f16[1,2,2048,32] y = read_state(input = kv);)",
     .message = "the state 'kv' is 2,048 positions long, 0.3 MB read at every step"},
    {.fact = "K16",
     .ports = "state<f16[1,2,1024,32]> kv",
     .statements = R"(f16[1,2,1024,32] y = read_state(input = kv);)"},
};

}  // namespace rule::long_state_test

ANEMONE_RULE_EXAMPLES(long_state) = rule::long_state_test::kExamples;

}  // namespace anemone::lint
