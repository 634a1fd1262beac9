#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::w8a8_test {

constexpr Example kExamples[] = {
    {.fact = "W16",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      i8[1,4] q = quantize(input = x, scale = f16(0.5), output_dtype = s("int8"));
      f16[1,4] y = dequantize(input = q, scale = f16(0.5));)",
     .message = "1 quantized activation"},
    {.fact = "W17",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      i8[1,4] q = quantize(input = x, scale = f16(0.5), output_dtype = s("int8"));
      f16[1,4] y = dequantize(input = q, scale = f16(0.5));)",
     .message = "1 quantized activation"},
    {.fact = "W16",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_blockwise_shift_scale(data = i8[4,4](=1), scale = f16[4,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)"},
    {.fact = "W17",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_blockwise_shift_scale(data = i8[4,4](=1), scale = f16[4,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)"},
};

}  // namespace rule::w8a8_test

ANEMONE_RULE_EXAMPLES(w8a8) = rule::w8a8_test::kExamples;

}  // namespace anemone::lint
