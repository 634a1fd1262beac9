#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::topk_test {

constexpr Example kExamples[] = {
    {.fact = "O11",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,1] y, i32[1,1] i = topk(x = x, k = i32(1), axis = i32(-1));)",
     .message = "topk runs on the engine in some reports, on the CPU in others"},
    {.fact = "O11",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,1] y = reduce_max(x = x, axes = i32[1](1), keep_dims = b(true));)"},
};

}  // namespace rule::topk_test

ANEMONE_RULE_EXAMPLES(topk) = rule::topk_test::kExamples;

}  // namespace anemone::lint
