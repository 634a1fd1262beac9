#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::dynamic_range_test {

constexpr Example kExamples[] = {
    {.fact = "O08",
     .ports = "i32 x",
     .statements = R"(i32[?] y = range_1d(start = i32(0), end = x, step = i32(1));)",
     .message = "counts with 'end' decided by each call"},
    {.fact = "O08",
     .ports = "i32[4] x",
     .statements =
         R"(
      i32[4] r = range_1d(start = i32(0), end = i32(4), step = i32(1));
      i32[4] y = add(x = x, y = r);)"},
};

}  // namespace rule::dynamic_range_test

ANEMONE_RULE_EXAMPLES(dynamic_range) = rule::dynamic_range_test::kExamples;

}  // namespace anemone::lint
