#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::long_queries_test {

constexpr Example kExamples[] = {
    {.fact = "H03",
     .ports = "f16[1,1,512,8] q, f16[1,1,64,8] k",
     .statements =
         R"(
      f16[1,1,512,64] s = matmul(x = q, y = k, transpose_y = b(true));
      f16[1,1,512,64] y = softmax(x = s, axis = i32(-1));)",
     .message = "512 query rows at a time"},
    {.fact = "H03",
     .ports = "f16[1,1,64,8] q, f16[1,1,512,8] k",
     .statements =
         R"(
      f16[1,1,64,512] s = matmul(x = q, y = k, transpose_y = b(true));
      f16[1,1,64,512] y = softmax(x = s, axis = i32(-1));)"},
};

}  // namespace rule::long_queries_test

ANEMONE_RULE_EXAMPLES(long_queries) = rule::long_queries_test::kExamples;

}  // namespace anemone::lint
