#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::width_slice_test {

constexpr Example kExamples[] = {
    {.fact = "O06",
     .ports = "f16[1,8] x",
     .statements = R"(f16[1,4] y = slice_by_index(x = x, begin = i32[2](0,4), end = i32[2](1,8));)",
     .message = "slices the last axis from 4 on"},
    {.fact = "O06",
     .ports = "f16[1,8] x",
     .statements = R"(f16[1,4] y = slice_by_index(x = x, begin = i32[2](0,4), end = i32[2](1,8));)",
     .chip = "M4"},
};

}  // namespace rule::width_slice_test

ANEMONE_RULE_EXAMPLES(width_slice) = rule::width_slice_test::kExamples;

}  // namespace anemone::lint
