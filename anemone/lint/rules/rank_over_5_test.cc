#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::rank_over_5_test {

constexpr Example kExamples[] = {
    {.fact = "L01",
     .ports = "f16[1,1,1,1,1,4] x",
     .statements = R"(f16[1,1,1,1,1,4] y = relu(x = x);)",
     .message = "a tensor of rank 6",
     .is_unsound = true},
    {.fact = "L01",
     .ports = "f16[1,1,1,1,4] x",
     .statements = R"(f16[1,1,1,1,4] y = relu(x = x);)"},
};

}  // namespace rule::rank_over_5_test

ANEMONE_RULE_EXAMPLES(rank_over_5) = rule::rank_over_5_test::kExamples;

}  // namespace anemone::lint
