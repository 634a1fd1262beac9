#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::shifting_cache_test {

constexpr Example kExamples[] = {
    {.fact = "K08",
     .ports = "f16[1,32] x, state<f16[8,32]> kv",
     .statements =
         R"(
      f16[8,32] o = read_state(input = kv);
      f16[7,32] t = slice_by_index(x = o, begin = i32[2](1,0), end = i32[2](8,32));
      f16[8,32] n = concat(values = (t, x), axis = i32(0), interleave = b(false));
      write_state(input = kv, data = n);
      f16[8,32] c = read_state(input = kv);
      f16[8,16384] y = linear(x = c, weight = f16[16384,32](=1));)",
     .message = "the cache is shifted by concat beside a head"},
    {.fact = "K08",
     .ports = "f16[1,32] x, state<f16[8,32]> kv",
     .statements =
         R"(
      f16[8,32] o = read_state(input = kv);
      f16[7,32] t = slice_by_index(x = o, begin = i32[2](1,0), end = i32[2](8,32));
      f16[8,32] n = concat(values = (t, x), axis = i32(0), interleave = b(false));
      f16[8,32] u = slice_update(x = o, update = n, begin = i32[2](0,0), end = i32[2](8,32));
      write_state(input = kv, data = u);
      f16[8,32] c = read_state(input = kv);
      f16[8,16384] y = linear(x = c, weight = f16[16384,32](=1));)",
     .message = "the cache is shifted by concat beside a head"},
    {.fact = "K08",
     .ports = "f16[1,32] x, state<f16[8,32]> kv",
     .statements =
         R"(
      f16[8,32] o = read_state(input = kv);
      f16[7,32] t = slice_by_index(x = o, begin = i32[2](1,0), end = i32[2](8,32));
      f16[8,32] n = concat(values = (t, x), axis = i32(0), interleave = b(false));
      write_state(input = kv, data = n);
      f16[8,32] c = read_state(input = kv);
      f16[8,32] y = linear(x = c, weight = f16[32,32](=1));)"},
};

}  // namespace rule::shifting_cache_test

ANEMONE_RULE_EXAMPLES(shifting_cache) = rule::shifting_cache_test::kExamples;

}  // namespace anemone::lint
