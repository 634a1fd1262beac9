#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::repeated_heads_test {

constexpr Example kExamples[] = {
    {.fact = "H06",
     .ports = "f16[1,2,4,8] q, f16[1,1,4,8] k",
     .statements =
         R"(
      f16[1,2,4,8] r = concat(values = (k, k), axis = i32(1), interleave = b(false));
      f16[1,2,4,4] y = matmul(x = q, y = r, transpose_y = b(true));)",
     .message = "repeats heads on the way into matmul"},
    {.fact = "H06",
     .ports = "f16[1,2,4,8] q, f16[1,1,4,8] k",
     .statements =
         R"(
      f16[1,1,2,4,8] s = stack(values = (k, k), axis = i32(2));
      f16[1,2,4,8] r = reshape(x = s, shape = i32[4](1,2,4,8));
      f16[1,2,4,4] y = matmul(x = q, y = r, transpose_y = b(true));)",
     .message = "repeats heads on the way into matmul"},
    {.fact = "H06",
     .ports = "f16[1,2,4,8] q, f16[1,1,4,8] k, f16[1,1,4,8] l",
     .statements =
         R"(
      f16[1,1,2,4,8] s = stack(values = (k, l), axis = i32(2));
      f16[1,2,4,8] r = reshape(x = s, shape = i32[4](1,2,4,8));
      f16[1,2,4,4] y = matmul(x = q, y = r, transpose_y = b(true));)"},
    {.fact = "H06",
     .ports = "f16[1,1,8,8] q, f16[1,1,4,8] k",
     .statements = R"(f16[1,1,8,4] y = matmul(x = q, y = k, transpose_y = b(true));)"},
};

}  // namespace rule::repeated_heads_test

ANEMONE_RULE_EXAMPLES(repeated_heads) = rule::repeated_heads_test::kExamples;

}  // namespace anemone::lint
