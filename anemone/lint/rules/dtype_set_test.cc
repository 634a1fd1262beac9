#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::dtype_set_test {

constexpr Example kExamples[] = {
    {.fact = "T06",
     .ports = "f16[1,4] x",
     .statements =
         R"(u8[1,4] y = quantize(input = x, scale = f16(0.5), zero_point = u8(0), output_dtype = s("uint8"));)",
     .message = "gives a tensor of uint8, outside fp16, int8 and int16"},
    {.fact = "T06",
     .ports = "f16[1,4] x",
     .statements =
         R"(i8[1,4] y = quantize(input = x, scale = f16(0.5), zero_point = i8(0), output_dtype = s("int8"));)"},
};

}  // namespace rule::dtype_set_test

ANEMONE_RULE_EXAMPLES(dtype_set) = rule::dtype_set_test::kExamples;

}  // namespace anemone::lint
