#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::mac_size_test {

constexpr Example kExamples[] = {
    {.fact = "W02",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = relu(x = x);)",
     .message =
         "the package holds 900.0 MB of weights; reported limits lie between 0.25 and 2.3 GB",
     .weight_bytes = 900000001},
    {.fact = "W02",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = relu(x = x);)",
     .weight_bytes = 900000000},
};

}  // namespace rule::mac_size_test

ANEMONE_RULE_EXAMPLES(mac_size) = rule::mac_size_test::kExamples;

}  // namespace anemone::lint
