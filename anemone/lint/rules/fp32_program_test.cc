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
         R"(f16[1,4] a = cast(x = x, dtype = s("fp16")); f16[1,4] h = relu(x = a); f32[1,4] y = cast(x = h, dtype = s("fp32"));)"},
};

}  // namespace rule::fp32_program_test

ANEMONE_RULE_EXAMPLES(fp32_program) = rule::fp32_program_test::kExamples;

}  // namespace anemone::lint
