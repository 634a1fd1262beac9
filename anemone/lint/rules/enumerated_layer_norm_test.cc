#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::enumerated_layer_norm_test {

constexpr Example kExamples[] = {
    {.fact = "O37",
     .ports = "f16[?,4] x",
     .statements = R"(f16[?,4] y = layer_norm(x = x, axes = i32[1](1), epsilon = f16(1e-4));)",
     .message = "layer_norm in a function with enumerated shapes",
     .flexible = FlexibleInput::Kind::kEnumerated},
    {.fact = "O37",
     .ports = "f16[?,4] x",
     .statements = R"(f16[?,4] y = layer_norm(x = x, axes = i32[1](1), epsilon = f16(1e-4));)",
     .flexible = FlexibleInput::Kind::kRange},
};

}  // namespace rule::enumerated_layer_norm_test

ANEMONE_RULE_EXAMPLES(enumerated_layer_norm) = rule::enumerated_layer_norm_test::kExamples;

}  // namespace anemone::lint
