#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::lut4_coremltools_9_test {

constexpr Example kExamples[] = {
    {.fact = "W20",
     .message = "1 4-bit lookup table made by coremltools 9.0",
     .functions = R"([buildInfo = dict<string, string>({{"coremltools-version", "9.0"}})]
func main<ios18>(f16[1,4] x) { f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = f16[1,1,16,1](=0.5)); f16[1,4] y = linear(x = x, weight = w); } -> (y);)"},
    {.fact = "W20",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = f16[1,1,16,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)",
     .message = "1 4-bit lookup table made by coremltools 9.0",
     .coremltools = "9.0"},
    {.fact = "W20",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = f16[1,1,16,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)",
     .coremltools = "8.3"},
    {.fact = "W20",
     .functions = R"([buildInfo = dict<string, string>({{"coremltools-version", "8.3.0"}})]
func main<ios18>(f16[1,4] x) { f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = f16[1,1,16,1](=0.5)); f16[1,4] y = linear(x = x, weight = w); } -> (y);)"},
};

}  // namespace rule::lut4_coremltools_9_test

ANEMONE_RULE_EXAMPLES(lut4_coremltools_9) = rule::lut4_coremltools_9_test::kExamples;

}  // namespace anemone::lint
