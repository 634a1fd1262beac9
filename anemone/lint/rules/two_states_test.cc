#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::two_states_test {

constexpr Example kExamples[] = {
    {.fact = "K05",
     .ports = "state<f16[2,32]> k0, state<f16[2,32]> k1",
     .statements =
         R"(
      f16[2,32] r0 = read_state(input = k0);
      f16[2,32] r1 = read_state(input = k1);
      f16[2,32] y = relu(x = r0);)",
     .message = "two states: 'k0' and 'k1'"},
    {.fact = "K05", .ports = "state<f16[2,32]> k0", .statements = R"(
      f16[2,32] r0 = read_state(input = k0);
      f16[2,32] y = relu(x = r0);)"},
};

}  // namespace rule::two_states_test

ANEMONE_RULE_EXAMPLES(two_states) = rule::two_states_test::kExamples;

}  // namespace anemone::lint
