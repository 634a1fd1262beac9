#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::runtime_conv_weight_test {

constexpr Example kExamples[] = {
    {.fact = "O33",
     .ports = "f16[1,2,1,4] x, f16[2,2,1,1] w",
     .statements = R"(f16[1,2,1,4] y = conv(x = x, weight = w);)",
     .message = "the weight 'w' is decided by each call"},
    {.fact = "O33",
     .ports = "f16[1,2,1,4] x",
     .statements = R"(f16[1,2,1,4] y = conv(x = x, weight = f16[2,2,1,1](=1));)"},
};

}  // namespace rule::runtime_conv_weight_test

ANEMONE_RULE_EXAMPLES(runtime_conv_weight) = rule::runtime_conv_weight_test::kExamples;

}  // namespace anemone::lint
