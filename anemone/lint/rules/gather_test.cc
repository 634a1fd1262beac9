#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::gather_test {

constexpr Example kExamples[] = {
    {.fact = "O01",
     .ports = "i32[1] x",
     .statements = R"(f16[1,2] y = gather(x = f16[3,2](=1), indices = x, axis = i32(0));)",
     .message = "gather has no kernel on the Neural Engine"},
    {.fact = "O01",
     .ports = "f16[3,2] x",
     .statements =
         R"(f16[1,2] y = slice_by_index(x = x, begin = i32[2](0,0), end = i32[2](1,2));)"},
};

}  // namespace rule::gather_test

ANEMONE_RULE_EXAMPLES(gather) = rule::gather_test::kExamples;

}  // namespace anemone::lint
