#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::channel_scales_test {

constexpr Example kExamples[] = {
    {.fact = "W14",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_blockwise_shift_scale(data = i8[4,4](=1), scale = f16[4,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)",
     .message = "int8 with a scale for each channel"},
    {.fact = "W14",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_blockwise_shift_scale(data = i8[4,4](=1), scale = f16[1,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)"},
};

}  // namespace rule::channel_scales_test

ANEMONE_RULE_EXAMPLES(channel_scales) = rule::channel_scales_test::kExamples;

}  // namespace anemone::lint
