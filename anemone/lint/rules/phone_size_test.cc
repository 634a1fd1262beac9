#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::phone_size_test {

constexpr Example kExamples[] = {
    {.fact = "W01",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = relu(x = x);)",
     .message = "the package holds 1000.0 MB of weights; iPhones were documented to take 1 GB",
     .weight_bytes = 1000000001},
    {.fact = "W01",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = relu(x = x);)",
     .weight_bytes = 1000000000},
};

}  // namespace rule::phone_size_test

ANEMONE_RULE_EXAMPLES(phone_size) = rule::phone_size_test::kExamples;

}  // namespace anemone::lint
