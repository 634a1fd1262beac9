#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::inner_axis_moved_test {

constexpr Example kExamples[] = {
    {.fact = "L14",
     .ports = "f16[4,8] x",
     .statements = R"(f16[8,4] y = transpose(x = x, perm = i32[2](1,0));)",
     .message = "moves the innermost axis"},
    {.fact = "L14",
     .ports = "f16[2,4,8] x",
     .statements = R"(f16[4,2,8] y = transpose(x = x, perm = i32[3](1,0,2));)"},
};

}  // namespace rule::inner_axis_moved_test

ANEMONE_RULE_EXAMPLES(inner_axis_moved) = rule::inner_axis_moved_test::kExamples;

}  // namespace anemone::lint
