#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::shallow_products_test {

constexpr Example kExamples[] = {
    {.fact = "O39",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,2] y = linear(x = x, weight = f16[2,4](=1));)",
     .message = "no product sums over more than 4; alone, the planner prefers the engine from "
                "about 4,992 on"},
    {.fact = "O39",
     .ports = "f16[?,4] x",
     .statements = R"(f16[?,2] y = linear(x = x, weight = f16[2,4](=1));)"},
    {.fact = "O39",
     .ports = "f16[1,4992] x",
     .statements = R"(f16[1,2] y = linear(x = x, weight = f16[2,4992](=1));)"},
};

}  // namespace rule::shallow_products_test

ANEMONE_RULE_EXAMPLES(shallow_products) = rule::shallow_products_test::kExamples;

}  // namespace anemone::lint
