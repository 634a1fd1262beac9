#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::embedding_test {

constexpr Example kExamples[] = {
    {.fact = "W12",
     .ports = "i32[1] x",
     .statements = R"(f16[1,2] y = gather(x = f16[3,2](=0.5), indices = x, axis = i32(0));)",
     .message = "gathers rows of a table [3, 2]"},
    {.fact = "W12",
     .ports = "i32[1] x, f16[3,2] t",
     .statements = R"(f16[1,2] y = gather(x = t, indices = x, axis = i32(0));)"},
};

}  // namespace rule::embedding_test

ANEMONE_RULE_EXAMPLES(embedding) = rule::embedding_test::kExamples;

}  // namespace anemone::lint
