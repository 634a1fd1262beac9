#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::reshaped_state_test {

constexpr Example kExamples[] = {
    {.fact = "K15",
     .ports = "f16[1,32] x, state<f16[8,32]> kv",
     .statements =
         R"(
      f16[8,32] o = read_state(input = kv);
      f16[8,32] u = slice_update(x = o, update = x, begin = i32[2](0,0), end = i32[2](1,32));
      f16[32,8] t = transpose(x = u, perm = i32[2](1,0));
      f16[8,32] n = reshape(x = t, shape = i32[2](8,32));
      write_state(input = kv, data = n);
      f16[8,32] y = read_state(input = kv);)",
     .message = "is given a reshape of the updated state"},
    {.fact = "K15",
     .ports = "f16[1,32] x, state<f16[8,32]> kv",
     .statements =
         R"(
      f16[8,32] o = read_state(input = kv);
      f16[8,32] u = slice_update(x = o, update = x, begin = i32[2](0,0), end = i32[2](1,32));
      f16[32,8] t = transpose(x = u, perm = i32[2](1,0));
      f16[8,32] n = reshape(x = t, shape = i32[2](8,32));
      f16[8,32] w = slice_update(x = o, update = n, begin = i32[2](0,0), end = i32[2](8,32));
      write_state(input = kv, data = w);
      f16[8,32] y = read_state(input = kv);)",
     .message = "is given a reshape of the updated state"},
    {.fact = "K15",
     .ports = "f16[1,32] x, state<f16[8,32]> kv",
     .statements =
         R"(
      f16[8,32] o = read_state(input = kv);
      f16[8,32] u = slice_update(x = o, update = x, begin = i32[2](0,0), end = i32[2](1,32));
      write_state(input = kv, data = u);
      f16[8,32] y = read_state(input = kv);)"},
};

}  // namespace rule::reshaped_state_test

ANEMONE_RULE_EXAMPLES(reshaped_state) = rule::reshaped_state_test::kExamples;

}  // namespace anemone::lint
