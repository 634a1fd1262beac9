#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::rotary_computed_test {

constexpr Example kExamples[] = {
    {.fact = "H10",
     .ports = "i32[4] x",
     .statements = R"(
      f16[4] p = cast(x = x, dtype = s("fp16"));
      f16[4] y = cos(x = p);)",
     .message = "cos of a position"},
    {.fact = "H10", .ports = "f16[4] x", .statements = R"(f16[4] y = cos(x = x);)"},
};

}  // namespace rule::rotary_computed_test

ANEMONE_RULE_EXAMPLES(rotary_computed) = rule::rotary_computed_test::kExamples;

}  // namespace anemone::lint
