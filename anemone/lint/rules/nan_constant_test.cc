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
    {.fact = "T11",
     .ports = "f16[1,4] x",
     .statements = R"(
    f16[1,4] mask = constexpr_lut_to_dense(indices = u1[1,4](=0), lut = f16[1,1,2,1](=nan));
    f16[1,4] y = add(x = x, y = mask);)",
     .message = "the compressed constant bound to 'y' holds NaN or +inf in its 'lut'"},
};

}  // namespace rule::nan_constant_test

ANEMONE_RULE_EXAMPLES(nan_constant) = rule::nan_constant_test::kExamples;

}  // namespace anemone::lint
