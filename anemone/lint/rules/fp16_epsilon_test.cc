#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::fp16_epsilon_test {

constexpr Example kExamples[] = {
    {.fact = "T14",
     .ports = "f16[1,4] x",
     .statements = R"(
      f16[1,4] h = add(x = x, y = f16(1e-6));
      f16[1,4] y = rsqrt(x = h);)",
     .message = "adds an epsilon that is subnormal in fp16"},
    {.fact = "T14", .ports = "f16[1,4] x", .statements = R"(
      f16[1,4] h = add(x = x, y = f16(1e-4));
      f16[1,4] y = rsqrt(x = h);)"},
};

}  // namespace rule::fp16_epsilon_test

ANEMONE_RULE_EXAMPLES(fp16_epsilon) = rule::fp16_epsilon_test::kExamples;

}  // namespace anemone::lint
