#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::program_size_test {

constexpr Example kExamples[] = {
    {.fact = "W04",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = relu(x = x);)",
     .message = "the package holds 2000.0 MB of weights; the private route takes about 2 GB",
     .weight_bytes = 2000000001},
    {.fact = "W04",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = relu(x = x);)",
     .weight_bytes = 2000000000},
};

}  // namespace rule::program_size_test

ANEMONE_RULE_EXAMPLES(program_size) = rule::program_size_test::kExamples;

}  // namespace anemone::lint
