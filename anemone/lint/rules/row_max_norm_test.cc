#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::row_max_norm_test {

constexpr Example kExamples[] = {
    {.fact = "N02",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[1,4] a = abs(x = x);
      f16[1,1] m0 = reduce_max(x = a, axes = i32[1](1), keep_dims = b(true));
      f16[1,4] y = real_div(x = x, y = m0);)",
     .message = "divides by the row's largest magnitude, which may be 0"},
    {.fact = "N02",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[1,4] a = abs(x = x);
      f16[1,1] m0 = reduce_max(x = a, axes = i32[1](1), keep_dims = b(true));
      f16[1,1] f = maximum(x = m0, y = f16(0.001));
      f16[1,4] y = real_div(x = x, y = f);)"},
};

}  // namespace rule::row_max_norm_test

ANEMONE_RULE_EXAMPLES(row_max_norm) = rule::row_max_norm_test::kExamples;

}  // namespace anemone::lint
