#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::dynamic_slice_test {

constexpr Example kExamples[] = {
    {.fact = "O05",
     .ports = "f16[8,4] x, i32[2] end",
     .statements = R"(f16[?,4] y = slice_by_index(x = x, begin = i32[2](0,0), end = end);)",
     .message = "slices with 'end' decided by each call"},
    {.fact = "O05",
     .ports = "f16[8,4] x",
     .statements =
         R"(f16[2,4] y = slice_by_index(x = x, begin = i32[2](0,0), end = i32[2](2,4));)"},
};

}  // namespace rule::dynamic_slice_test

ANEMONE_RULE_EXAMPLES(dynamic_slice) = rule::dynamic_slice_test::kExamples;

}  // namespace anemone::lint
