#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::dynamic_layers_test {

constexpr Example kExamples[] = {
    {.fact = "S05",
     .ports = "f16[?,4] x",
     .statements = R"(i32[2] n = shape(x = x); f16[?,4] y = relu(x = x);)",
     .message = "1 op of shape arithmetic in a function with flexible inputs"},
    {.fact = "S05",
     .ports = "f16[2,4] x",
     .statements = R"(i32[2] n = shape(x = x); f16[2,4] y = relu(x = x);)"},
};

}  // namespace rule::dynamic_layers_test

ANEMONE_RULE_EXAMPLES(dynamic_layers) = rule::dynamic_layers_test::kExamples;

}  // namespace anemone::lint
