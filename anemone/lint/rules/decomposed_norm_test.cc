#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::decomposed_norm_test {

constexpr Example kExamples[] = {
    {.fact = "N05",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[1,4] s = square(x = x);
      f16[1,1] m = reduce_mean(x = s, axes = i32[1](1), keep_dims = b(true));
      f16[1,1] e = add(x = f16(1e-4), y = m);
      f16[1,1] r = rsqrt(x = e);
      f16[1,4] y = mul(x = x, y = r);)",
     .message = "a norm made of small ops"},
    {.fact = "N05",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = layer_norm(x = x, axes = i32[1](1), epsilon = f16(1e-4));)"},
};

}  // namespace rule::decomposed_norm_test

ANEMONE_RULE_EXAMPLES(decomposed_norm) = rule::decomposed_norm_test::kExamples;

}  // namespace anemone::lint
