#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::fp32_interface_test {

constexpr Example kExamples[] = {
    {.fact = "T12",
     .ports = "f32[1,4] x",
     .statements = R"(f16[1,4] y = cast(x = x, dtype = s("fp16"));)",
     .message = "the input 'x' is fp32"},
    {.fact = "T12", .ports = "f16[1,4] x", .statements = R"(f16[1,4] y = relu(x = x);)"},
};

}  // namespace rule::fp32_interface_test

ANEMONE_RULE_EXAMPLES(fp32_interface) = rule::fp32_interface_test::kExamples;

}  // namespace anemone::lint
