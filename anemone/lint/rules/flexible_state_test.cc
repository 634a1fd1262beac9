#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::flexible_state_test {

constexpr Example kExamples[] = {
    {.fact = "K17",
     .ports = "f16[?,32] x, state<f16[8,32]> kv",
     .statements =
         R"(
      f16[8,32] o = read_state(input = kv);
      write_state(input = kv, data = o);
      f16[?,32] y = relu(x = x);)",
     .message = "writes a state and takes a range of lengths"},
    {.fact = "K17",
     .ports = "f16[2,32] x, state<f16[8,32]> kv",
     .statements =
         R"(
      f16[8,32] o = read_state(input = kv);
      write_state(input = kv, data = o);
      f16[2,32] y = relu(x = x);)"},
};

}  // namespace rule::flexible_state_test

ANEMONE_RULE_EXAMPLES(flexible_state) = rule::flexible_state_test::kExamples;

}  // namespace anemone::lint
