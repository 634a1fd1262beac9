#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::integer_sums_test {

constexpr Example kExamples[] = {
    {.fact = "L19",
     .ports = "b[1,4096] x",
     .statements =
         R"(
      f16[1,4096] h = cast(x = x, dtype = s("fp16"));
      f16[1] y = reduce_sum(x = h, axes = i32[1](1), keep_dims = b(false));)",
     .message = "sums 4,096 whole numbers in fp16"},
    {.fact = "L19",
     .ports = "b[1,2048] x",
     .statements =
         R"(
      f16[1,2048] h = cast(x = x, dtype = s("fp16"));
      f16[1] y = reduce_sum(x = h, axes = i32[1](1), keep_dims = b(false));)"},
};

}  // namespace rule::integer_sums_test

ANEMONE_RULE_EXAMPLES(integer_sums) = rule::integer_sums_test::kExamples;

}  // namespace anemone::lint
