#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::no_kernel_test {

constexpr Example kExamples[] = {
    {.fact = "O13",
     .ports = "f16[1,4] x",
     .statements = R"(i32[1,4] y = argsort(x = x, axis = i32(-1), ascending = b(true));)",
     .message = "argsort has no kernel on the Neural Engine"},
    {.fact = "O13",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = reverse(x = x, axes = i32[1](1));)"},
};

}  // namespace rule::no_kernel_test

ANEMONE_RULE_EXAMPLES(no_kernel) = rule::no_kernel_test::kExamples;

}  // namespace anemone::lint
