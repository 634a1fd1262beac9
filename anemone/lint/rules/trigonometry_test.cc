#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::trigonometry_test {

constexpr Example kExamples[] = {
    {.fact = "O17",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = tan(x = x);)",
     .message = "tan has no kernel on the Neural Engine"},
    {.fact = "O17", .ports = "f16[1,4] x", .statements = R"(f16[1,4] y = tanh(x = x);)"},
};

}  // namespace rule::trigonometry_test

ANEMONE_RULE_EXAMPLES(trigonometry) = rule::trigonometry_test::kExamples;

}  // namespace anemone::lint
