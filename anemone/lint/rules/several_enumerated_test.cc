#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::several_enumerated_test {

constexpr Example kExamples[] = {
    {.fact = "S04",
     .ports = "f16[?,4] x, f16[?,4] x2",
     .statements = R"(f16[?,4] y = add(x = x, y = x2);)",
     .message = "2 inputs of enumerated shapes",
     .opset = "ios17",
     .flexible = FlexibleInput::Kind::kEnumerated},
    {.fact = "S04",
     .ports = "f16[?,4] x, f16[?,4] x2",
     .statements = R"(f16[?,4] y = add(x = x, y = x2);)",
     .opset = "ios18",
     .flexible = FlexibleInput::Kind::kEnumerated},
};

}  // namespace rule::several_enumerated_test

ANEMONE_RULE_EXAMPLES(several_enumerated) = rule::several_enumerated_test::kExamples;

}  // namespace anemone::lint
