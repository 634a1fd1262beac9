#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::plain_square_test {

constexpr Example kExamples[] = {
    {.fact = "N01",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[1,4] s = square(x = x);
      f16[1,1] m = reduce_mean(x = s, axes = i32[1](1), keep_dims = b(true));
      f16[1,1] e = add(x = m, y = f16(1e-4));
      f16[1,1] r = rsqrt(x = e);
      f16[1,4] y = mul(x = x, y = r);)",
     .message = "squares 'x' unscaled in fp16: overflows beyond a magnitude of 256"},
    {.fact = "N01",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[1,4] z = mul(x = x, y = f16(0.03125));
      f16[1,4] s = square(x = z);
      f16[1,1] m = reduce_mean(x = s, axes = i32[1](1), keep_dims = b(true));
      f16[1,1] e = add(x = m, y = f16(1e-4));
      f16[1,1] r = rsqrt(x = e);
      f16[1,4] y = mul(x = z, y = r);)"},
    {.fact = "N01",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[1,4] a = abs(x = x);
      f16[1,1] m = reduce_max(x = a, axes = i32[1](1), keep_dims = b(true));
      f16[1,1] i = inverse(x = m, epsilon = f16(1e-4));
      f16[1,4] z = mul(x = x, y = i);
      f16[1,1] y = reduce_sum_square(x = z, axes = i32[1](1), keep_dims = b(true));)"},
};

}  // namespace rule::plain_square_test

ANEMONE_RULE_EXAMPLES(plain_square) = rule::plain_square_test::kExamples;

}  // namespace anemone::lint
