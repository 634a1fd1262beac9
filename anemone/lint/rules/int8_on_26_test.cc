#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::int8_on_26_test {

constexpr Example kExamples[] = {
    {.fact = "R11",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_blockwise_shift_scale(data = i8[4,4](=1), scale = f16[4,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)",
     .message = "an int8 weight for macOS 26",
     .opset = "ios26"},
    {.fact = "R11",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_blockwise_shift_scale(data = i8[4,4](=1), scale = f16[4,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)",
     .opset = "ios18"},
};

}  // namespace rule::int8_on_26_test

ANEMONE_RULE_EXAMPLES(int8_on_26) = rule::int8_on_26_test::kExamples;

}  // namespace anemone::lint
