#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::int8_arithmetic_test {

constexpr Example kExamples[] = {
    {.fact = "T08",
     .ports = "f16[1,4] x",
     .statements =
         R"(i8[1,4] y = quantize(input = x, scale = f16(0.5), output_dtype = s("int8"));)",
     .message = "is an output of the function in int8"},
    {.fact = "T08",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      i8[1,4] q = quantize(input = x, scale = f16(0.5), output_dtype = s("int8"));
      f16[1,4] y = dequantize(input = q, scale = f16(0.5));)"},
};

}  // namespace rule::int8_arithmetic_test

ANEMONE_RULE_EXAMPLES(int8_arithmetic) = rule::int8_arithmetic_test::kExamples;

}  // namespace anemone::lint
