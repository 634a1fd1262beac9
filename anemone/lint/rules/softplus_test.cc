#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::softplus_test {

constexpr Example kExamples[] = {
    {.fact = "O26",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = softplus(x = x);)",
     .message = "softplus overflows or loses accuracy in fp16"},
    {.fact = "O26", .ports = "f16[1,4] x", .statements = R"(f16[1,4] y = relu(x = x);)"},
};

}  // namespace rule::softplus_test

ANEMONE_RULE_EXAMPLES(softplus) = rule::softplus_test::kExamples;

}  // namespace anemone::lint
