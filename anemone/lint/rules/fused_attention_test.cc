#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::fused_attention_test {

constexpr Example kExamples[] = {
    {.fact = "H01",
     .ports = "f16[1,2,4,8] q, f16[1,2,4,8] k, f16[1,2,4,8] v",
     .statements =
         R"(f16[1,2,4,8] y = scaled_dot_product_attention(query = q, key = k, value = v);)",
     .message = "attention as one op"},
    {.fact = "H04",
     .ports = "f16[1,2,4,8] q, f16[1,2,4,8] k, f16[1,2,4,8] v",
     .statements =
         R"(f16[1,2,4,8] y = scaled_dot_product_attention(query = q, key = k, value = v);)",
     .message = "attention as one op"},
    {.fact = "H01",
     .ports = "f16[1,2,4,8] q, f16[1,2,4,8] k",
     .statements =
         R"(
      f16[1,2,4,4] s = matmul(x = q, y = k, transpose_y = b(true));
      f16[1,2,4,4] y = softmax(x = s, axis = i32(-1));)"},
    {.fact = "H04",
     .ports = "f16[1,2,4,8] q, f16[1,2,4,8] k",
     .statements =
         R"(
      f16[1,2,4,4] s = matmul(x = q, y = k, transpose_y = b(true));
      f16[1,2,4,4] y = softmax(x = s, axis = i32(-1));)"},
};

}  // namespace rule::fused_attention_test

ANEMONE_RULE_EXAMPLES(fused_attention) = rule::fused_attention_test::kExamples;

}  // namespace anemone::lint
