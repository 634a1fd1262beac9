#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::address_space_test {

constexpr Example kExamples[] = {
    {.fact = "W03",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = relu(x = x);)",
     .message = "the package holds 3000.0 MB of weights; a process has about 3 to 3.75 GB of "
                "address space on the engine",
     .weight_bytes = 3000000001},
    {.fact = "W03",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = relu(x = x);)",
     .weight_bytes = 3000000000},
};

}  // namespace rule::address_space_test

ANEMONE_RULE_EXAMPLES(address_space) = rule::address_space_test::kExamples;

}  // namespace anemone::lint
