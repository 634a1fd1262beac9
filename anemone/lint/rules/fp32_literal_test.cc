#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::fp32_literal_test {

constexpr Example kExamples[] = {
    {.fact = "T03",
     .ports = "f16[1,4] x",
     .statements = R"(f32[1,4] a = cast(x = x, dtype = s("fp32"));
f32[1,4] h = mul(x = a, y = f32(0.5));
f16[1,4] g = cast(x = h, dtype = s("fp16"));
f16[1,4] y = relu(x = g);)",
     .message = "takes an fp32 constant as 'y'"},
    {.fact = "T03",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = mul(x = x, y = f16(0.5));)"},
};

}  // namespace rule::fp32_literal_test

ANEMONE_RULE_EXAMPLES(fp32_literal) = rule::fp32_literal_test::kExamples;

}  // namespace anemone::lint
