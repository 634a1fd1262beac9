#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::three_kinds_of_state_test {

constexpr Example kExamples[] = {
    {.fact = "K06",
     .ports = "state<f16[2,32]> k0, state<f16[2,64]> k1, state<f16[2,96]> k2",
     .statements =
         R"(
      f16[2,32] r0 = read_state(input = k0);
      f16[2,64] r1 = read_state(input = k1);
      f16[2,96] r2 = read_state(input = k2);
      f16[2,32] y = relu(x = r0);)",
     .message = "3 kinds of state"},
    {.fact = "K06",
     .ports = "state<f16[2,32]> k0, state<f16[2,32]> k1, state<f16[2,32]> k2",
     .statements =
         R"(
      f16[2,32] r0 = read_state(input = k0);
      f16[2,32] r1 = read_state(input = k1);
      f16[2,32] r2 = read_state(input = k2);
      f16[2,32] y = relu(x = r0);)"},
};

}  // namespace rule::three_kinds_of_state_test

ANEMONE_RULE_EXAMPLES(three_kinds_of_state) = rule::three_kinds_of_state_test::kExamples;

}  // namespace anemone::lint
