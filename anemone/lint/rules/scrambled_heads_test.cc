#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::scrambled_heads_test {

constexpr Example kExamples[] = {
    {.fact = "L17",
     .ports = "f16[1,2,3,4] x",
     .statements = R"(f16[1,3,8] y = reshape(x = x, shape = i32[3](1,3,8));)",
     .message = "merges heads and channels across the tokens between them"},
    {.fact = "L17",
     .ports = "f16[1,2,3,4] x",
     .statements =
         R"(
      f16[1,3,2,4] t = transpose(x = x, perm = i32[4](0,2,1,3));
      f16[1,3,8] y = reshape(x = t, shape = i32[3](1,3,8));)"},
};

}  // namespace rule::scrambled_heads_test

ANEMONE_RULE_EXAMPLES(scrambled_heads) = rule::scrambled_heads_test::kExamples;

}  // namespace anemone::lint
