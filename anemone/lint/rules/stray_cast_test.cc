#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::stray_cast_test {

constexpr Example kExamples[] = {
    {.fact = "O20",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] h = identity(x = x); f16[1,4] y = relu(x = h);)",
     .message = "an identity does nothing"},
    {.fact = "O20",
     .ports = "f32[1,4] x",
     .statements = R"(f16[1,4] y = cast(x = x, dtype = s("fp16"));)"},
};

}  // namespace rule::stray_cast_test

ANEMONE_RULE_EXAMPLES(stray_cast) = rule::stray_cast_test::kExamples;

}  // namespace anemone::lint
