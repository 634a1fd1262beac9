#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::last_axis_1_test {

constexpr Example kExamples[] = {
    {.fact = "L09",
     .ports = "f16[1,64,1,1] x",
     .statements = R"(f16[1,64,1,1] y = relu(x = x);)",
     .message = "an output whose last axis is 1"},
    {.fact = "L09", .ports = "f16[1,1,1,64] x", .statements = R"(f16[1,1,1,64] y = relu(x = x);)"},
};

}  // namespace rule::last_axis_1_test

ANEMONE_RULE_EXAMPLES(last_axis_1) = rule::last_axis_1_test::kExamples;

}  // namespace anemone::lint
