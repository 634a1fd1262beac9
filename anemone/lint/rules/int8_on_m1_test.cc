#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::int8_on_m1_test {

constexpr Example kExamples[] = {
    {.fact = "W24",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_blockwise_shift_scale(data = i8[4,4](=1), scale = f16[4,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)",
     .message = "1 int8 weight unpacked to fp16",
     .chip = "M1"},
    {.fact = "W24",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_blockwise_shift_scale(data = i8[4,4](=1), scale = f16[4,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)",
     .chip = "M2"},
};

}  // namespace rule::int8_on_m1_test

ANEMONE_RULE_EXAMPLES(int8_on_m1) = rule::int8_on_m1_test::kExamples;

}  // namespace anemone::lint
