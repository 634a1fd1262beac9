#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::long_fused_attention_test {

constexpr Example kExamples[] = {
    {.fact = "H02",
     .ports = "f16[1,2,512,8] q, f16[1,2,512,8] k, f16[1,2,512,8] v",
     .statements =
         R"(f16[1,2,512,8] y = scaled_dot_product_attention(query = q, key = k, value = v);)",
     .message = "attention of 512 queries over 512 keys"},
    {.fact = "H02",
     .ports = "f16[1,2,64,8] q, f16[1,2,2048,8] k, f16[1,2,2048,8] v",
     .statements =
         R"(f16[1,2,64,8] y = scaled_dot_product_attention(query = q, key = k, value = v);)"},
};

}  // namespace rule::long_fused_attention_test

ANEMONE_RULE_EXAMPLES(long_fused_attention) = rule::long_fused_attention_test::kExamples;

}  // namespace anemone::lint
