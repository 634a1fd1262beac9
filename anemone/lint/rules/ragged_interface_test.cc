#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::ragged_interface_test {

constexpr Example kExamples[] = {
    {.fact = "L08",
     .ports = "f16[4,20] x",
     .statements = R"(f16[4,20] y = relu(x = x);)",
     .message = "the last axis of the input 'x' is 40 bytes, no multiple of 64"},
    {.fact = "L08", .ports = "f16[4,32] x", .statements = R"(f16[4,32] y = relu(x = x);)"},
};

}  // namespace rule::ragged_interface_test

ANEMONE_RULE_EXAMPLES(ragged_interface) = rule::ragged_interface_test::kExamples;

}  // namespace anemone::lint
