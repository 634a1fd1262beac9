#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::exp2_softmax_test {

constexpr Example kExamples[] = {
    {.fact = "H07",
     .ports = "f16[1,1,1,2,4] x",
     .statements = R"(f16[1,1,1,2,4] y = exp2(x = x);)",
     .message = "exp2 beside rank-5 tensors"},
    {.fact = "H07", .ports = "f16[1,4] x", .statements = R"(f16[1,4] y = exp2(x = x);)"},
};

}  // namespace rule::exp2_softmax_test

ANEMONE_RULE_EXAMPLES(exp2_softmax) = rule::exp2_softmax_test::kExamples;

}  // namespace anemone::lint
