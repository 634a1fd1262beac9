#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::fused_silu_test {

constexpr Example kExamples[] = {
    {.fact = "N09",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = silu(x = x);)",
     .message = "silu as one op"},
    {.fact = "N09", .ports = "f16[1,4] x", .statements = R"(
      f16[1,4] g = sigmoid(x = x);
      f16[1,4] y = mul(x = x, y = g);)"},
};

}  // namespace rule::fused_silu_test

ANEMONE_RULE_EXAMPLES(fused_silu) = rule::fused_silu_test::kExamples;

}  // namespace anemone::lint
