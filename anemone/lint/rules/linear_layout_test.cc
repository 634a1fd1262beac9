#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::linear_layout_test {

constexpr Example kExamples[] = {
    {.fact = "L12",
     .ports = "f16[1,1,4] x",
     .statements = R"(f16[1,1,32] y = linear(x = x, weight = f16[32,4](=1));)",
     .message = "a projection written as linear"},
    {.fact = "L12",
     .ports = "f16[1,4,1,1] x",
     .statements = R"(f16[1,32,1,1] y = conv(x = x, weight = f16[32,4,1,1](=1));)"},
};

}  // namespace rule::linear_layout_test

ANEMONE_RULE_EXAMPLES(linear_layout) = rule::linear_layout_test::kExamples;

}  // namespace anemone::lint
