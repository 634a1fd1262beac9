#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::zero_scale_test {

constexpr Example kExamples[] = {
    {.fact = "W15",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_blockwise_shift_scale(data = i8[4,4](=1), scale = f16[4,1](=0));
      f16[1,4] y = linear(x = x, weight = w);)",
     .message = "a scale is 0"},
    {.fact = "W15",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_blockwise_shift_scale(data = i8[4,4](=1), scale = f16[4,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)"},
};

}  // namespace rule::zero_scale_test

ANEMONE_RULE_EXAMPLES(zero_scale) = rule::zero_scale_test::kExamples;

}  // namespace anemone::lint
