#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::state_row_bytes_test {

constexpr Example kExamples[] = {
    {.fact = "K12",
     .ports = "f16[1,20] x, state<f16[8,20]> kv",
     .statements =
         R"(
      f16[8,20] o = read_state(input = kv);
      f16[8,20] n = slice_update(x = o, update = x, begin = i32[2](0,0), end = i32[2](1,20));
      write_state(input = kv, data = n);
      f16[8,20] y = read_state(input = kv);)",
     .message = "writes rows of 40 bytes"},
    {.fact = "K12",
     .ports = "f16[1,32] x, state<f16[8,32]> kv",
     .statements =
         R"(
      f16[8,32] o = read_state(input = kv);
      f16[8,32] n = slice_update(x = o, update = x, begin = i32[2](0,0), end = i32[2](1,32));
      write_state(input = kv, data = n);
      f16[8,32] y = read_state(input = kv);)"},
};

}  // namespace rule::state_row_bytes_test

ANEMONE_RULE_EXAMPLES(state_row_bytes) = rule::state_row_bytes_test::kExamples;

}  // namespace anemone::lint
