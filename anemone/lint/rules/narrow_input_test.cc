#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::narrow_input_test {

constexpr Example kExamples[] = {
    {.fact = "L10",
     .ports = "f16[1,64,1,8] x",
     .statements = R"(f16[1,64,1,8] y = relu(x = x);)",
     .message = "the input 'x' is 8 wide"},
    {.fact = "L10",
     .ports = "f16[1,64,1,32] x",
     .statements = R"(f16[1,64,1,32] y = relu(x = x);)"},
};

}  // namespace rule::narrow_input_test

ANEMONE_RULE_EXAMPLES(narrow_input) = rule::narrow_input_test::kExamples;

}  // namespace anemone::lint
