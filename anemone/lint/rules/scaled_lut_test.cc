#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::scaled_lut_test {

constexpr Example kExamples[] = {
    {.fact = "W19",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] t = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = f16[1,1,16,1](=0.5));
      f16[4,4] w = constexpr_blockwise_shift_scale(data = t, scale = f16[4,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)",
     .message = "scales over a lookup table"},
    {.fact = "W19",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,1,16,1] t = constexpr_blockwise_shift_scale(data = f16[4,1,16,1](=0.5), scale = f16[4,1,1,1](=0.5));
      f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = t);
      f16[1,4] y = linear(x = x, weight = w);)",
     .message = "scales over the entries of a lookup table"},
    {.fact = "W19",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[1,1,16,1] t = constexpr_blockwise_shift_scale(data = i8[1,1,16,1](=5), scale = f16[1,1,1,1](=0.5));
      f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = t);
      f16[1,4] y = linear(x = x, weight = w);)"},
    {.fact = "W19",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = f16[1,1,16,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)"},
};

}  // namespace rule::scaled_lut_test

ANEMONE_RULE_EXAMPLES(scaled_lut) = rule::scaled_lut_test::kExamples;

}  // namespace anemone::lint
