#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::int8_lut_test {

constexpr Example kExamples[] = {
    {.fact = "W21",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      i8[4,4] t = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = i8[1,1,16,1](=1));
      f16[4,4] w = constexpr_blockwise_shift_scale(data = t, scale = f16[1,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)",
     .message = "its weight is a lookup table of int8 entries"},
    {.fact = "W21",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[1,1,16,1] t = constexpr_blockwise_shift_scale(data = i8[1,1,16,1](=1), scale = f16[1,1,1,1](=0.5));
      f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = t);
      f16[1,4] y = linear(x = x, weight = w);)",
     .message = "its weight is a lookup table of int8 entries"},
    {.fact = "W21",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = f16[1,1,16,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)"},
};

}  // namespace rule::int8_lut_test

ANEMONE_RULE_EXAMPLES(int8_lut) = rule::int8_lut_test::kExamples;

}  // namespace anemone::lint
