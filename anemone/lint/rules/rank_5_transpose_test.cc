#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::rank_5_transpose_test {

constexpr Example kExamples[] = {
    {.fact = "L03",
     .ports = "f16[1,1,1,4,8] x",
     .statements =
         R"(
      f16[1,1,1,8,4] t = transpose(x = x, perm = i32[5](0,1,2,4,3));
      f16[1,1,1,8,8] y = matmul(x = t, y = x);)",
     .message = "a rank-5 transpose feeds matmul"},
    {.fact = "L03",
     .ports = "f16[1,1,1,4,8] x",
     .statements =
         R"(
      f16[1,1,1,8,4] t = transpose(x = x, perm = i32[5](0,1,2,4,3));
      f16[1,1,1,8,4] y = relu(x = t);)"},
};

}  // namespace rule::rank_5_transpose_test

ANEMONE_RULE_EXAMPLES(rank_5_transpose) = rule::rank_5_transpose_test::kExamples;

}  // namespace anemone::lint
