#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::few_bits_test {

constexpr Example kExamples[] = {
    {.fact = "W28",
     .ports = "f16[1,8] x",
     .statements =
         R"(
      f16[2,8] w = constexpr_lut_to_dense(indices = u2[2,8](=1), lut = f16[1,1,4,1](=0.5));
      f16[1,2] y = linear(x = x, weight = w);)",
     .message = "a weight of 2 bits, sound only if the model was trained so"},
    {.fact = "W28",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = f16[1,1,16,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)"},
};

}  // namespace rule::few_bits_test

ANEMONE_RULE_EXAMPLES(few_bits) = rule::few_bits_test::kExamples;

}  // namespace anemone::lint
