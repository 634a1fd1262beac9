#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::pow_test {

constexpr Example kExamples[] = {
    {.fact = "O24",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = pow(x = x, y = f16(2));)",
     .message = "pow runs in some reports and is advised against in another"},
    {.fact = "O24", .ports = "f16[1,4] x", .statements = R"(f16[1,4] y = square(x = x);)"},
};

}  // namespace rule::pow_test

ANEMONE_RULE_EXAMPLES(pow) = rule::pow_test::kExamples;

}  // namespace anemone::lint
