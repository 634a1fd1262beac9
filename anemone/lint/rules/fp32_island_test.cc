#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::fp32_island_test {

constexpr Example kExamples[] = {
    {.fact = "T02",
     .ports = "f16[1,4] x",
     .statements = R"(f32[1,4] a = cast(x = x, dtype = s("fp32"));
f32[1,4] h = square(x = a);
f16[1,4] g = cast(x = h, dtype = s("fp16"));
f16[1,4] y = relu(x = g);)",
     .message = "computes in fp32 inside an fp16 function"},
    {.fact = "T02", .ports = "f16[1,4] x", .statements = R"(
      f16[1,4] h = relu(x = x);
      f32[1,4] y = cast(x = h, dtype = s("fp32"));)"},
};

}  // namespace rule::fp32_island_test

ANEMONE_RULE_EXAMPLES(fp32_island) = rule::fp32_island_test::kExamples;

}  // namespace anemone::lint
