#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::pooling_test {

constexpr Example kExamples[] = {
    {.fact = "O31",
     .ports = "f16[1,2,1,16] x",
     .statements =
         R"(f16[1,2,1,3] y = max_pool(x = x, kernel_sizes = i32[2](1,14), strides = i32[2](1,1), pad_type = s("valid"), pad = i32[4](0,0,0,0), ceil_mode = b(false));)",
     .message = "a window of 14"},
    {.fact = "O31",
     .ports = "f16[1,2,1,16] x",
     .statements =
         R"(f16[1,2,1,4] y = max_pool(x = x, kernel_sizes = i32[2](1,13), strides = i32[2](1,1), pad_type = s("valid"), pad = i32[4](0,0,0,0), ceil_mode = b(false));)"},
};

}  // namespace rule::pooling_test

ANEMONE_RULE_EXAMPLES(pooling) = rule::pooling_test::kExamples;

}  // namespace anemone::lint
