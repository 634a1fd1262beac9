#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::late_scale_test {

constexpr Example kExamples[] = {
    {.fact = "N06",
     .ports = "f16[1,2,4,8] q, f16[1,2,4,8] k",
     .statements =
         R"(
      f16[1,2,4,4] s = matmul(x = q, y = k, transpose_y = b(true));
      f16[1,2,4,4] y = mul(x = s, y = f16(0.25));)",
     .message = "is scaled down only after the product"},
    {.fact = "N06",
     .ports = "f16[1,2,4,8] q, f16[1,2,4,8] k",
     .statements =
         R"(
      f16[1,2,4,8] p = mul(x = q, y = f16(0.25));
      f16[1,2,4,4] y = matmul(x = p, y = k, transpose_y = b(true));)"},
};

}  // namespace rule::late_scale_test

ANEMONE_RULE_EXAMPLES(late_scale) = rule::late_scale_test::kExamples;

}  // namespace anemone::lint
