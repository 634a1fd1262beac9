#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::fp32_program_test {

constexpr Example kExamples[] = {
    {.fact = "T01",
     .ports = "f32[1,4] x",
     .statements = R"(f32[1,4] h = relu(x = x); f32[1,4] y = exp(x = h);)",
     .message = "all 2 floating-point ops are typed fp32: the Neural Engine is barred"},
    {.fact = "T01",
     .ports = "f32[1,4] x",
     .statements =
         R"(
      f16[1,4] a = cast(x = x, dtype = s("fp16"));
      f16[1,4] h = relu(x = a);
      f32[1,4] y = cast(x = h, dtype = s("fp32"));)"},
    // What only moves an fp16 state does not compute.
    {.fact = "T01",
     .ports = "f32[1,32] x, state<f16[8,32]> kv",
     .statements = R"(
      f16[8,32] o = read_state(input = kv);
      f32[1,32] h = exp(x = x);
      f16[1,32] u = cast(x = h, dtype = s("fp16"));
      f16[8,32] n = slice_update(x = o, update = u, begin = i32[2](0,0), end = i32[2](1,32));
      write_state(input = kv, data = n);
      f32[1,32] y = relu(x = h);)",
     .message = "all 2 floating-point ops are typed fp32: the Neural Engine is barred"},
};

}  // namespace rule::fp32_program_test

ANEMONE_RULE_EXAMPLES(fp32_program) = rule::fp32_program_test::kExamples;

}  // namespace anemone::lint
