#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::channels_over_65536_test {

constexpr Example kExamples[] = {
    {.fact = "L06",
     .ports = "f16[1,70000,1,1] x",
     .statements = R"(f16[1,70000,1,1] y = relu(x = x);)",
     .message = "70,000 channels; the limit in dispute is 65,536"},
    {.fact = "L06",
     .ports = "f16[1,70000,1,1] x",
     .statements = R"(f16[1,1,1,1] y = reduce_sum(x = x, axes = i32[1](1), keep_dims = b(true));)",
     .message = "70,000 channels; the limit in dispute is 65,536"},
    {.fact = "L06",
     .ports = "f16[70000,1,1,1] x",
     .statements = R"(f16[70000,1,1,1] y = relu(x = x);)",
     .message = "70,000 along the batch; the limit in dispute is 65,536"},
    {.fact = "L06",
     .ports = "f16[1,65536,1,1] x",
     .statements = R"(f16[1,65536,1,1] y = relu(x = x);)"},
};

}  // namespace rule::channels_over_65536_test

ANEMONE_RULE_EXAMPLES(channels_over_65536) = rule::channels_over_65536_test::kExamples;

}  // namespace anemone::lint
