#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::columns_layout_test {

constexpr Example kExamples[] = {
    {.fact = "L13",
     .ports = "f16[1,2,4,1] x",
     .statements = R"(f16[1,2,4,1] y = conv(x = x, weight = f16[2,2,1,1](=1));)",
     .message = "the sequence lies on the height axis"},
    {.fact = "L13",
     .ports = "f16[1,2,1,4] x",
     .statements = R"(f16[1,2,1,4] y = conv(x = x, weight = f16[2,2,1,1](=1));)"},
};

}  // namespace rule::columns_layout_test

ANEMONE_RULE_EXAMPLES(columns_layout) = rule::columns_layout_test::kExamples;

}  // namespace anemone::lint
