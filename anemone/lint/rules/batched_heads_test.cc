#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::batched_heads_test {

constexpr Example kExamples[] = {
    {.fact = "H05",
     .ports = "f16[1,2,4,8] q, f16[1,2,4,8] k",
     .statements = R"(f16[1,2,4,4] y = matmul(x = q, y = k, transpose_y = b(true));)",
     .message = "1 product over several heads"},
    {.fact = "H05",
     .ports = "f16[1,1,4,8] q, f16[1,1,4,8] k",
     .statements = R"(f16[1,1,4,4] y = matmul(x = q, y = k, transpose_y = b(true));)"},
};

}  // namespace rule::batched_heads_test

ANEMONE_RULE_EXAMPLES(batched_heads) = rule::batched_heads_test::kExamples;

}  // namespace anemone::lint
