#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::zero_epsilon_test {

constexpr Example kExamples[] = {
    {.fact = "O19",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = rsqrt(x = x, epsilon = f16(0));)",
     .message = "rsqrt has an epsilon of 0"},
    {.fact = "O19", .ports = "f16[1,4] x", .statements = R"(f16[1,4] y = rsqrt(x = x);)"},
};

}  // namespace rule::zero_epsilon_test

ANEMONE_RULE_EXAMPLES(zero_epsilon) = rule::zero_epsilon_test::kExamples;

}  // namespace anemone::lint
