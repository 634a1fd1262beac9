#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::small_lut_groups_test {

constexpr Example kExamples[] = {
    {.fact = "W08",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = f16[4,1,16,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)",
     .message = "a table for each 1 channel"},
    {.fact = "W08",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = f16[1,1,16,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)"},
};

}  // namespace rule::small_lut_groups_test

ANEMONE_RULE_EXAMPLES(small_lut_groups) = rule::small_lut_groups_test::kExamples;

}  // namespace anemone::lint
