#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::conv_kernel_test {

constexpr Example kExamples[] = {
    {.fact = "O28",
     .ports = "f16[1,2,1,16] x",
     .statements = R"(f16[1,2,1,3] y = conv(x = x, weight = f16[2,2,1,14](=1));)",
     .message = "a kernel 14 wide; the limit is 13"},
    {.fact = "O28",
     .ports = "f16[1,2,1,16] x",
     .statements = R"(f16[1,2,1,4] y = conv(x = x, weight = f16[2,2,1,13](=1));)"},
};

}  // namespace rule::conv_kernel_test

ANEMONE_RULE_EXAMPLES(conv_kernel) = rule::conv_kernel_test::kExamples;

}  // namespace anemone::lint
