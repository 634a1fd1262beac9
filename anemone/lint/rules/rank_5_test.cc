#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::rank_5_test {

constexpr Example kExamples[] = {
    {.fact = "L02",
     .ports = "f16[1,2,1,4,8] x",
     .statements = R"(f16[1,2,3,4,8] y = tile(x = x, reps = i32[5](1,1,3,1,1));)",
     .message = "a tensor of rank 5"},
    {.fact = "L02",
     .ports = "f16[2,1,4,8] x",
     .statements = R"(f16[2,3,4,8] y = tile(x = x, reps = i32[4](1,3,1,1));)"},
};

}  // namespace rule::rank_5_test

ANEMONE_RULE_EXAMPLES(rank_5) = rule::rank_5_test::kExamples;

}  // namespace anemone::lint
