#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::cumsum_test {

constexpr Example kExamples[] = {
    {.fact = "O10",
     .ports = "f16[1,4] x",
     .statements =
         R"(f16[1,4] y = cumsum(x = x, axis = i32(1), exclusive = b(false), reverse = b(false));)",
     .message = "cumsum has no kernel on the Neural Engine"},
    {.fact = "O10",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = matmul(x = x, y = f16[4,4](=1));)"},
};

}  // namespace rule::cumsum_test

ANEMONE_RULE_EXAMPLES(cumsum) = rule::cumsum_test::kExamples;

}  // namespace anemone::lint
