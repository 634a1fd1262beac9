#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::position_blend_test {

constexpr Example kExamples[] = {
    {.fact = "K09",
     .ports = "f16[1,2,8,32] cache, f16[1,2,1,32] x, i32[1,1,8,1] at",
     .statements =
         R"(
      b[1,1,8,1] m = equal(x = at, y = i32(3));
      f16[1,2,8,32] y = select(cond = m, a = x, b = cache);)",
     .message = "blends the cache 'cache' under a comparison"},
    {.fact = "K09",
     .ports = "f16[1,2,8,32] cache, f16[1,2,1,32] x, b[1,1,8,1] m",
     .statements = R"(f16[1,2,8,32] y = select(cond = m, a = x, b = cache);)"},
};

}  // namespace rule::position_blend_test

ANEMONE_RULE_EXAMPLES(position_blend) = rule::position_blend_test::kExamples;

}  // namespace anemone::lint
