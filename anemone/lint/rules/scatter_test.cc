#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::scatter_test {

constexpr Example kExamples[] = {
    {.fact = "O02",
     .ports = "f16[4,2] x, i32[1] at",
     .statements =
         R"(f16[4,2] y = scatter(data = x, indices = at, updates = f16[1,2](=1), axis = i32(0), mode = s("update"), validate_indices = b(false));)",
     .message = "scatter has no kernel on the Neural Engine"},
    {.fact = "O02",
     .ports = "f16[4,2] x",
     .statements =
         R"(f16[4,2] y = slice_update(x = x, update = f16[1,2](=1), begin = i32[2](0,0), end = i32[2](1,2));)"},
};

}  // namespace rule::scatter_test

ANEMONE_RULE_EXAMPLES(scatter) = rule::scatter_test::kExamples;

}  // namespace anemone::lint
