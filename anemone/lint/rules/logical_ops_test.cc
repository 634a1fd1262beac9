#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::logical_ops_test {

constexpr Example kExamples[] = {
    {.fact = "T07",
     .ports = "b[1,4] x",
     .statements = R"(b[1,4] y = logical_and(x = x, y = x);)",
     .message =
         "logical_and has no kernel on the private route; comparisons, select and logical_not do"},
    {.fact = "T07", .ports = "b[1,4] x", .statements = R"(b[1,4] y = logical_not(x = x);)"},
};

}  // namespace rule::logical_ops_test

ANEMONE_RULE_EXAMPLES(logical_ops) = rule::logical_ops_test::kExamples;

}  // namespace anemone::lint
