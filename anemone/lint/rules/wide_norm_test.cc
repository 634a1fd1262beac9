#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::wide_norm_test {

constexpr Example kExamples[] = {
    {.fact = "L20",
     .ports = "f16[1,70000] x",
     .statements = R"(f16[1,70000] y = layer_norm(x = x, axes = i32[1](1), epsilon = f16(1e-4));)",
     .message = "a norm over 70,000 elements"},
    {.fact = "L20",
     .ports = "f16[1,2,1,300,300] x",
     .statements =
         R"(
      f16[1,2,1,1,1] m = reduce_mean(x = x, axes = i32[3](2,3,4), keep_dims = b(true));
      f16[1,2,1,300,300] y = sub(x = x, y = m);)",
     .message = "a norm over 90,000 elements"},
    {.fact = "L20",
     .ports = "f16[1,2,4,200,200] x",
     .statements =
         R"(
      f16[1,2,1,1,1] m = reduce_mean(x = x, axes = i32[3](2,3,4), keep_dims = b(true));
      f16[1,2,4,200,200] y = sub(x = x, y = m);)"},
    {.fact = "L20",
     .ports = "f16[1,65536] x",
     .statements = R"(f16[1,65536] y = layer_norm(x = x, axes = i32[1](1), epsilon = f16(1e-4));)"},
};

}  // namespace rule::wide_norm_test

ANEMONE_RULE_EXAMPLES(wide_norm) = rule::wide_norm_test::kExamples;

}  // namespace anemone::lint
