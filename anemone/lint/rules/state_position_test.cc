#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::state_position_test {

constexpr Example kExamples[] = {
    {.fact = "K03",
     .ports = "f16[1,32] x, i32[1] position, state<f16[8,32]> kv",
     .statements =
         R"(
      i32[1] after = add(x = position, y = i32(1));
      i32[2] begin = concat(values = (position, i32[1](0)), axis = i32(0), interleave = b(false));
      i32[2] end = concat(values = (after, i32[1](32)), axis = i32(0), interleave = b(false));
      f16[8,32] old = read_state(input = kv);
      f16[8,32] new = slice_update(x = old, update = x, begin = begin, end = end);
      write_state(input = kv, data = new);
      f16[8,32] y = read_state(input = kv);)",
     .message = "only says where a state is written"},
    {.fact = "K03",
     .ports = "i32[1] x",
     .statements =
         R"(
      i32[1] h = add(x = x, y = i32(1));
      f16[1] y = cast(x = h, dtype = s("fp16"));)"},
};

}  // namespace rule::state_position_test

ANEMONE_RULE_EXAMPLES(state_position) = rule::state_position_test::kExamples;

}  // namespace anemone::lint
