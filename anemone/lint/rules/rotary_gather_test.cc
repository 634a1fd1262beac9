#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::rotary_gather_test {

constexpr Example kExamples[] = {
    {.fact = "H09",
     .ports = "i32[1] x",
     .statements =
         R"(
      f16[2,2] t = const()[name = s("t"), val = f16[2,2]([1,1],[0.5,0.9])];
      f16[1,2] y = gather(x = t, indices = x, axis = i32(0));)",
     .message = "gathers rows of cos or sin from a table [2, 2]"},
    {.fact = "H09",
     .ports = "i32[1] x",
     .statements =
         R"(
      f16[2,2] t = const()[name = s("t"), val = f16[2,2]([0.5,0.9],[1,1])];
      f16[1,2] y = gather(x = t, indices = x, axis = i32(0));)"},
};

}  // namespace rule::rotary_gather_test

ANEMONE_RULE_EXAMPLES(rotary_gather) = rule::rotary_gather_test::kExamples;

}  // namespace anemone::lint
