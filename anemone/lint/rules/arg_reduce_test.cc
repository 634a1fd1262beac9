#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::arg_reduce_test {

constexpr Example kExamples[] = {
    {.fact = "O12",
     .ports = "f16[1,4] x",
     .statements = R"(i32[1] y = reduce_argmax(x = x, axis = i32(-1), keep_dims = b(false));)",
     .message = "reduce_argmax has no kernel on the Neural Engine"},
    {.fact = "O12",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1] y = reduce_max(x = x, axes = i32[1](1), keep_dims = b(false));)"},
};

}  // namespace rule::arg_reduce_test

ANEMONE_RULE_EXAMPLES(arg_reduce) = rule::arg_reduce_test::kExamples;

}  // namespace anemone::lint
