#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::nan_constant_test {

constexpr Example kExamples[] = {
    {.fact = "T11",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = add(x = x, y = f16[4](0, nan, 0, 0));)",
     .message = "the constant bound to 'y' holds NaN or +inf"},
    {.fact = "T11",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = add(x = x, y = f16[4](0, 65504, 0, 0));)"},
};

}  // namespace rule::nan_constant_test

ANEMONE_RULE_EXAMPLES(nan_constant) = rule::nan_constant_test::kExamples;

}  // namespace anemone::lint
