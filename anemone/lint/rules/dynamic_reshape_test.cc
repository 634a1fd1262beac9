#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::dynamic_reshape_test {

constexpr Example kExamples[] = {
    {.fact = "O07",
     .ports = "f16[1,4] x",
     .statements = R"(i32[2] y = shape(x = x);)",
     .message = "shape has no kernel on the Neural Engine"},
    {.fact = "O07",
     .ports = "f16[1,4] x",
     .statements = R"(f16[4,1] y = reshape(x = x, shape = i32[2](4,1));)"},
};

}  // namespace rule::dynamic_reshape_test

ANEMONE_RULE_EXAMPLES(dynamic_reshape) = rule::dynamic_reshape_test::kExamples;

}  // namespace anemone::lint
