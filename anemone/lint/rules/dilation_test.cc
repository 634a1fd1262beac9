#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::dilation_test {

constexpr Example kExamples[] = {
    {.fact = "O30",
     .ports = "f16[1,2,1,16] x",
     .statements =
         R"(f16[1,2,1,8] y = conv(x = x, weight = f16[2,2,1,3](=1), dilations = i32[2](1,4));)",
     .message = "a dilation of 4"},
    {.fact = "O30",
     .ports = "f16[1,2,1,16] x",
     .statements =
         R"(f16[1,2,1,12] y = conv(x = x, weight = f16[2,2,1,3](=1), dilations = i32[2](1,2));)"},
};

}  // namespace rule::dilation_test

ANEMONE_RULE_EXAMPLES(dilation) = rule::dilation_test::kExamples;

}  // namespace anemone::lint
