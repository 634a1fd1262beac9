#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::attention_mask_test {

constexpr Example kExamples[] = {
    {.fact = "N08",
     .ports = "f16[1,2,4,8] q, f16[1,2,4,8] k, f16[1,2,4,8] v, f16[1,1,4,4] m",
     .statements =
         R"(f16[1,2,4,8] y = scaled_dot_product_attention(query = q, key = k, value = v, attn_mask = m);)",
     .message = "takes a mask"},
    {.fact = "N08",
     .ports = "f16[1,2,4,8] q, f16[1,2,4,8] k, f16[1,2,4,8] v",
     .statements =
         R"(f16[1,2,4,8] y = scaled_dot_product_attention(query = q, key = k, value = v);)"},
};

}  // namespace rule::attention_mask_test

ANEMONE_RULE_EXAMPLES(attention_mask) = rule::attention_mask_test::kExamples;

}  // namespace anemone::lint
