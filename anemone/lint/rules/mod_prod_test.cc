#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::mod_prod_test {

constexpr Example kExamples[] = {
    {.fact = "O18",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = mod(x = x, y = f16(2));)",
     .message = "mod has no kernel on the Neural Engine"},
    {.fact = "O18",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = floor_div(x = x, y = f16(2));)"},
};

}  // namespace rule::mod_prod_test

ANEMONE_RULE_EXAMPLES(mod_prod) = rule::mod_prod_test::kExamples;

}  // namespace anemone::lint
