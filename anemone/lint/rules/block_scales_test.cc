#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::block_scales_test {

constexpr Example kExamples[] = {
    {.fact = "W09",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_blockwise_shift_scale(data = i8[4,4](=1), scale = f16[4,2](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)",
     .message = "int8 scaled by blocks, scales [4, 2]"},
    {.fact = "W09",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_blockwise_shift_scale(data = i8[4,4](=1), scale = f16[4,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)"},
};

}  // namespace rule::block_scales_test

ANEMONE_RULE_EXAMPLES(block_scales) = rule::block_scales_test::kExamples;

}  // namespace anemone::lint
