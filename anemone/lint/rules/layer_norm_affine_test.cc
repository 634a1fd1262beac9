#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::layer_norm_affine_test {

constexpr Example kExamples[] = {
    {.fact = "O36",
     .ports = "f16[1,4096] x",
     .statements =
         R"(f16[1,4096] y = layer_norm(x = x, axes = i32[1](1), gamma = f16[4096](=1), epsilon = f16(1e-4));)",
     .message = "a layer_norm over 4,096 elements with gamma"},
    {.fact = "O36",
     .ports = "f16[1,4096] x",
     .statements = R"(f16[1,4096] y = layer_norm(x = x, axes = i32[1](1), epsilon = f16(1e-4));)"},
};

}  // namespace rule::layer_norm_affine_test

ANEMONE_RULE_EXAMPLES(layer_norm_affine) = rule::layer_norm_affine_test::kExamples;

}  // namespace anemone::lint
