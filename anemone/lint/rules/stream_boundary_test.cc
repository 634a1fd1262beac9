#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::stream_boundary_test {

constexpr Example kExamples[] = {
    {.fact = "N20",
     .ports = "f16[1,1,4] x",
     .statements = R"(f16[1,1,4] y = relu(x = x);)",
     .message = "takes 'x' and gives 'y' in fp16: a part of a chain"},
    {.fact = "N20",
     .ports = "f16[1,1,4] x",
     .statements = R"(f16[1,1,2] y = linear(x = x, weight = f16[2,4](=1));)"},
};

}  // namespace rule::stream_boundary_test

ANEMONE_RULE_EXAMPLES(stream_boundary) = rule::stream_boundary_test::kExamples;

}  // namespace anemone::lint
