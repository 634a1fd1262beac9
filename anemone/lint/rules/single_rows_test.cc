#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::single_rows_test {

constexpr Example kExamples[] = {
    {.fact = "N13",
     .ports = "f16[1,4] x, state<f16[8,32]> kv",
     .statements =
         R"(
      f16[8,32] o = read_state(input = kv);
      f16[1,2] y = linear(x = x, weight = f16[2,4](=1));)",
     .message = "no function takes more than one row"},
    {.fact = "N13",
     .ports = "f16[64,4] x, state<f16[8,32]> kv",
     .statements =
         R"(
      f16[8,32] o = read_state(input = kv);
      f16[64,2] y = linear(x = x, weight = f16[2,4](=1));)"},
};

}  // namespace rule::single_rows_test

ANEMONE_RULE_EXAMPLES(single_rows) = rule::single_rows_test::kExamples;

}  // namespace anemone::lint
