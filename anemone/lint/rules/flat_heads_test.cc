#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::flat_heads_test {

constexpr Example kExamples[] = {
    {.fact = "L07",
     .ports = "f16[1,1024,128] x",
     .statements = R"(f16[1,131072] y = reshape(x = x, shape = i32[2](1,131072));)",
     .message = "flattens axes into one of 131,072"},
    {.fact = "L07",
     .ports = "f16[1,512,128] x",
     .statements = R"(f16[1,65536] y = reshape(x = x, shape = i32[2](1,65536));)"},
};

}  // namespace rule::flat_heads_test

ANEMONE_RULE_EXAMPLES(flat_heads) = rule::flat_heads_test::kExamples;

}  // namespace anemone::lint
