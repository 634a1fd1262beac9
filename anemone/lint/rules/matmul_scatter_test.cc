#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::matmul_scatter_test {

constexpr Example kExamples[] = {
    {.fact = "K11",
     .ports = "f16[8,32] w, f16[32,32] x, state<f16[8,32]> kv",
     .statements =
         R"(
      f16[8,32] o = read_state(input = kv);
      f16[8,32] p = matmul(x = w, y = x);
      f16[8,32] n = add(x = o, y = p);
      write_state(input = kv, data = n);
      f16[8,32] y = read_state(input = kv);)",
     .message = "writes 32 rows of a state by a matrix product"},
    {.fact = "K11",
     .ports = "f16[8,32] w, f16[32,32] x, state<f16[8,32]> kv",
     .statements =
         R"(
      f16[8,32] o = read_state(input = kv);
      f16[8,32] p = matmul(x = w, y = x);
      f16[8,32] n = add(x = o, y = p);
      f16[8,32] u = slice_update(x = o, update = n, begin = i32[2](0,0), end = i32[2](8,32));
      write_state(input = kv, data = u);
      f16[8,32] y = read_state(input = kv);)",
     .message = "writes 32 rows of a state by a matrix product"},
    {.fact = "K11",
     .ports = "f16[8,4] w, f16[4,32] x, state<f16[8,32]> kv",
     .statements =
         R"(
      f16[8,32] o = read_state(input = kv);
      f16[8,32] p = matmul(x = w, y = x);
      f16[8,32] n = add(x = o, y = p);
      write_state(input = kv, data = n);
      f16[8,32] y = read_state(input = kv);)"},
};

}  // namespace rule::matmul_scatter_test

ANEMONE_RULE_EXAMPLES(matmul_scatter) = rule::matmul_scatter_test::kExamples;

}  // namespace anemone::lint
