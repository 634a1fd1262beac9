#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::lut_in_blocks_test {

constexpr Example kExamples[] = {
    {.fact = "W18",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = f16[4,2,16,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)",
     .message = "tables along 2 axes, [4, 2, 16, 1]"},
    {.fact = "W18",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = f16[4,1,16,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)"},
};

}  // namespace rule::lut_in_blocks_test

ANEMONE_RULE_EXAMPLES(lut_in_blocks) = rule::lut_in_blocks_test::kExamples;

}  // namespace anemone::lint
