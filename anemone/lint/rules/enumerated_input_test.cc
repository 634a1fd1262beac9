#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::enumerated_input_test {

constexpr Example kExamples[] = {
    {.fact = "S03",
     .ports = "f16[?,4] x",
     .statements = R"(f16[?,4] y = relu(x = x);)",
     .message = "the input 'x' takes 3 shapes",
     .flexible = FlexibleInput::Kind::kEnumerated},
    {.fact = "S03",
     .ports = "f16[?,4] x",
     .statements = R"(f16[?,4] y = relu(x = x);)",
     .flexible = FlexibleInput::Kind::kRange},
    {.fact = "S03",
     .ports = "f16[?,4] x, state<f16[8,32]> kv",
     .statements = R"(
      f16[8,32] o = read_state(input = kv);
      f16[?,4] y = relu(x = x);)",
     .message = "the input 'x' takes 3 shapes, in a function with states",
     .flexible = FlexibleInput::Kind::kEnumerated},
};

}  // namespace rule::enumerated_input_test

ANEMONE_RULE_EXAMPLES(enumerated_input) = rule::enumerated_input_test::kExamples;

}  // namespace anemone::lint
