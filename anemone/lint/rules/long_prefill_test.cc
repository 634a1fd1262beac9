#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::long_prefill_test {

constexpr Example kExamples[] = {
    {.fact = "S10",
     .ports = "f16[1,4,1,256] x",
     .statements = R"(f16[1,2,1,256] y = conv(x = x, weight = f16[2,4,1,1](=1));)",
     .message = "takes 256 rows at a time"},
    {.fact = "S10",
     .ports = "f16[1,4,1,128] x",
     .statements = R"(f16[1,2,1,128] y = conv(x = x, weight = f16[2,4,1,1](=1));)"},
};

}  // namespace rule::long_prefill_test

ANEMONE_RULE_EXAMPLES(long_prefill) = rule::long_prefill_test::kExamples;

}  // namespace anemone::lint
