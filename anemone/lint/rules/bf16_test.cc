#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::bf16_test {

constexpr Example kExamples[] = {
    {.fact = "T05",
     .ports = "bf16[1,4] x",
     .statements = R"(bf16[1,4] y = relu(x = x);)",
     .message = "gives a bf16 tensor",
     .is_unsound = true},
    {.fact = "T05", .ports = "f16[1,4] x", .statements = R"(f16[1,4] y = relu(x = x);)"},
};

}  // namespace rule::bf16_test

ANEMONE_RULE_EXAMPLES(bf16) = rule::bf16_test::kExamples;

}  // namespace anemone::lint
