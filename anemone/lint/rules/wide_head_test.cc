#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::wide_head_test {

constexpr Example kExamples[] = {
    {.fact = "W10",
     .ports = "f16[1,1] x",
     .statements = R"(f16[1,16385] y = linear(x = x, weight = f16[16385,1](=1));)",
     .message = "16,385 outputs of one product"},
    {.fact = "W10",
     .ports = "f16[1,1] x",
     .statements = R"(f16[1,16384] y = linear(x = x, weight = f16[16384,1](=1));)"},
};

}  // namespace rule::wide_head_test

ANEMONE_RULE_EXAMPLES(wide_head) = rule::wide_head_test::kExamples;

}  // namespace anemone::lint
