#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::four_bits_test {

constexpr Example kExamples[] = {
    {.fact = "W23",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = f16[1,1,16,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)",
     .message = "nearly all weights have at most 4 bits"},
    {.fact = "W23",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_lut_to_dense(indices = u8[4,4](=1), lut = f16[1,1,256,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)"},
};

}  // namespace rule::four_bits_test

ANEMONE_RULE_EXAMPLES(four_bits) = rule::four_bits_test::kExamples;

}  // namespace anemone::lint
