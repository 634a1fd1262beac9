#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::round_test {

constexpr Example kExamples[] = {
    {.fact = "O25",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = round(x = x);)",
     .message = "round is inexact from magnitude 1,024 on"},
    {.fact = "O25", .ports = "f16[1,4] x", .statements = R"(f16[1,4] y = floor(x = x);)"},
};

}  // namespace rule::round_test

ANEMONE_RULE_EXAMPLES(round) = rule::round_test::kExamples;

}  // namespace anemone::lint
