#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::centred_norm_test {

constexpr Example kExamples[] = {
    {.fact = "N04",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[1,1] m = reduce_mean(x = x, axes = i32[1](1), keep_dims = b(true));
      f16[1,4] c = sub(x = x, y = m);
      f16[1,4] y = layer_norm(x = c, axes = i32[1](1), epsilon = f16(1e-4));)",
     .message = "takes away the mean that layer_norm takes away itself"},
    {.fact = "N04",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = layer_norm(x = x, axes = i32[1](1), epsilon = f16(1e-4));)"},
};

}  // namespace rule::centred_norm_test

ANEMONE_RULE_EXAMPLES(centred_norm) = rule::centred_norm_test::kExamples;

}  // namespace anemone::lint
