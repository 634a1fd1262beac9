#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::conv_stride_test {

constexpr Example kExamples[] = {
    {.fact = "O29",
     .ports = "f16[1,2,10,10] x",
     .statements =
         R"(f16[1,2,2,2] y = conv(x = x, weight = f16[2,2,1,1](=1), strides = i32[2](5,5));)",
     .message = "a stride of 5"},
    {.fact = "O29",
     .ports = "f16[1,2,8,8] x",
     .statements =
         R"(f16[1,2,2,2] y = conv(x = x, weight = f16[2,2,1,1](=1), strides = i32[2](4,4));)"},
};

}  // namespace rule::conv_stride_test

ANEMONE_RULE_EXAMPLES(conv_stride) = rule::conv_stride_test::kExamples;

}  // namespace anemone::lint
