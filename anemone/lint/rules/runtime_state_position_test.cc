#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::runtime_state_position_test {

constexpr Example kExamples[] = {
    {.fact = "O04",
     .ports = "f16[1,2] x, i32[2] at, i32[2] to, state<f16[4,2]> kv",
     .statements =
         R"(
      f16[4,2] o = read_state(input = kv);
      f16[4,2] n = slice_update(x = o, update = x, begin = at, end = to);
      write_state(input = kv, data = n);
      f16[4,2] y = read_state(input = kv);)",
     .message = "writes to a state at a position that each call decides; sources disagree whether "
                "that runs"},
    {.fact = "O04",
     .ports = "f16[1,2] x, state<f16[4,2]> kv",
     .statements =
         R"(
      f16[4,2] o = read_state(input = kv);
      f16[4,2] n = slice_update(x = o, update = x, begin = i32[2](0,0), end = i32[2](1,2));
      write_state(input = kv, data = n);
      f16[4,2] y = read_state(input = kv);)"},
};

}  // namespace rule::runtime_state_position_test

ANEMONE_RULE_EXAMPLES(runtime_state_position) = rule::runtime_state_position_test::kExamples;

}  // namespace anemone::lint
