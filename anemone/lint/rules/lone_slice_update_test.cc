#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::lone_slice_update_test {

constexpr Example kExamples[] = {
    {.fact = "O03",
     .ports = "f16[4,2] x",
     .statements =
         R"(f16[4,2] y = slice_update(x = x, update = f16[1,2](=1), begin = i32[2](0,0), end = i32[2](1,2));)",
     .message = "updates rows of a value that is not just read from a state"},
    {.fact = "O03",
     .ports = "f16[1,2] x, state<f16[4,2]> kv",
     .statements =
         R"(
      f16[4,2] o = read_state(input = kv);
      f16[4,2] n = slice_update(x = o, update = x, begin = i32[2](0,0), end = i32[2](1,2));
      write_state(input = kv, data = n);
      f16[4,2] y = read_state(input = kv);)"},
};

}  // namespace rule::lone_slice_update_test

ANEMONE_RULE_EXAMPLES(lone_slice_update) = rule::lone_slice_update_test::kExamples;

}  // namespace anemone::lint
