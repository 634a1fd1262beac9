#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::square_width_test {

constexpr Example kExamples[] = {
    {.fact = "O23",
     .ports = "f16[1,100] x",
     .statements = R"(f16[1,100] h = square(x = x); f16[1,100] y = exp(x = h);)",
     .message = "square of width 100 feeds exp"},
    {.fact = "O23",
     .ports = "f16[1,128] x",
     .statements = R"(f16[1,128] h = square(x = x); f16[1,128] y = exp(x = h);)"},
};

}  // namespace rule::square_width_test

ANEMONE_RULE_EXAMPLES(square_width) = rule::square_width_test::kExamples;

}  // namespace anemone::lint
