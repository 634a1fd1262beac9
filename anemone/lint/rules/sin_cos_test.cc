#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::sin_cos_test {

constexpr Example kExamples[] = {
    {.fact = "O16",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = sin(x = x);)",
     .message = "sin has no kernel on M1 and M2"},
    {.fact = "O16",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = sin(x = x);)",
     .chip = "M4"},
};

}  // namespace rule::sin_cos_test

ANEMONE_RULE_EXAMPLES(sin_cos) = rule::sin_cos_test::kExamples;

}  // namespace anemone::lint
