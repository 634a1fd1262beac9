#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::many_states_test {

constexpr Example kExamples[] = {
    {.fact = "K07",
     .ports = "state<f16[2,32]> k0, state<f16[2,32]> k1, state<f16[2,32]> k2",
     .statements =
         R"(
      f16[2,32] r0 = read_state(input = k0);
      f16[2,32] r1 = read_state(input = k1);
      f16[2,32] r2 = read_state(input = k2);
      f16[2,32] y = relu(x = r0);)",
     .message = "3 states"},
    {.fact = "K07",
     .ports = "state<f16[2,32]> k0, state<f16[2,32]> k1",
     .statements =
         R"(
      f16[2,32] r0 = read_state(input = k0);
      f16[2,32] r1 = read_state(input = k1);
      f16[2,32] y = relu(x = r0);)"},
};

}  // namespace rule::many_states_test

ANEMONE_RULE_EXAMPLES(many_states) = rule::many_states_test::kExamples;

}  // namespace anemone::lint
