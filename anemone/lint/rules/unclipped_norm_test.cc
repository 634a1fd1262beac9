#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::unclipped_norm_test {

constexpr Example kExamples[] = {
    {.fact = "N18",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = layer_norm(x = x, axes = i32[1](1), epsilon = f16(1e-4));)",
     .message = "1 layer norm of values that are not clipped"},
    {.fact = "N18",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[1,4] c = clip(x = x, alpha = f16(-100), beta = f16(100));
      f16[1,4] y = layer_norm(x = c, axes = i32[1](1), epsilon = f16(1e-4));)"},
};

}  // namespace rule::unclipped_norm_test

ANEMONE_RULE_EXAMPLES(unclipped_norm) = rule::unclipped_norm_test::kExamples;

}  // namespace anemone::lint
