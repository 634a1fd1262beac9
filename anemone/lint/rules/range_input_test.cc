#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::range_input_test {

constexpr Example kExamples[] = {
    {.fact = "S01",
     .ports = "f16[?,4] x",
     .statements = R"(f16[?,4] y = relu(x = x);)",
     .message = "the input 'x' takes a range of shapes"},
    {.fact = "S01",
     .ports = "f16[?,4] x",
     .statements = R"(f16[?,4] y = relu(x = x);)",
     .flexible = FlexibleInput::Kind::kEnumerated},
    {.fact = "S01", .ports = "f16[1,4] x", .statements = R"(f16[1,4] y = relu(x = x);)"},
};

}  // namespace rule::range_input_test

ANEMONE_RULE_EXAMPLES(range_input) = rule::range_input_test::kExamples;

}  // namespace anemone::lint
