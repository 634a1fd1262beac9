#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::tiny_program_test {

constexpr Example kExamples[] = {
    {.fact = "O38",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = relu(x = x);)",
     .message =
         "the package holds 0.0 MB of weights: programs under about 14 MB were seen on the CPU"},
    {.fact = "O38",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = relu(x = x);)",
     .weight_bytes = 14000000},
};

}  // namespace rule::tiny_program_test

ANEMONE_RULE_EXAMPLES(tiny_program) = rule::tiny_program_test::kExamples;

}  // namespace anemone::lint
