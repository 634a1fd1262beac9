#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::int32_compute_test {

constexpr Example kExamples[] = {
    {.fact = "T04",
     .ports = "i32[1] x",
     .statements =
         R"(
      i32[1] h = add(x = x, y = i32(1));
      f16[1] y = cast(x = h, dtype = s("fp16"));)",
     .message = "gives an int32 tensor"},
    {.fact = "T04",
     .ports = "f16[1,1,1,4] x, i32[1] position, state<f16[2,1,8,4]> kv",
     .statements = R"(i32[1] after = add(x = position, y = i32(1));
i32[4] begin = concat(values = (i32[2](0,0), position, i32[1](0)), axis = i32(0), interleave = b(false));
i32[4] end = concat(values = (i32[2](1,1), after, i32[1](4)), axis = i32(0), interleave = b(false));
f16[2,1,8,4] old = read_state(input = kv);
f16[2,1,8,4] new = slice_update(x = old, update = x, begin = begin, end = end);
write_state(input = kv, data = new);
f16[2,1,8,4] y = read_state(input = kv);)"},
};

}  // namespace rule::int32_compute_test

ANEMONE_RULE_EXAMPLES(int32_compute) = rule::int32_compute_test::kExamples;

}  // namespace anemone::lint
