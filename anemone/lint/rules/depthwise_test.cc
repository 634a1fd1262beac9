#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::depthwise_test {

constexpr Example kExamples[] = {
    {.fact = "O32",
     .ports = "f16[1,1024,1,4] x",
     .statements =
         R"(f16[1,1024,1,4] y = conv(x = x, weight = f16[1024,1,1,1](=1), groups = i32(1024));)",
     .message = "depthwise over 1,024 channels"},
    {.fact = "O32",
     .ports = "f16[1,512,1,4] x",
     .statements =
         R"(f16[1,512,1,4] y = conv(x = x, weight = f16[512,1,1,1](=1), groups = i32(512));)"},
};

}  // namespace rule::depthwise_test

ANEMONE_RULE_EXAMPLES(depthwise) = rule::depthwise_test::kExamples;

}  // namespace anemone::lint
