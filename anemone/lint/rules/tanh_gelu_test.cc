#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::tanh_gelu_test {

constexpr Example kExamples[] = {
    {.fact = "N10",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = tanh(x = x);)",
     .message = "tanh as one op"},
    {.fact = "N10", .ports = "f16[1,4] x", .statements = R"(f16[1,4] y = sigmoid(x = x);)"},
};

}  // namespace rule::tanh_gelu_test

ANEMONE_RULE_EXAMPLES(tanh_gelu) = rule::tanh_gelu_test::kExamples;

}  // namespace anemone::lint
