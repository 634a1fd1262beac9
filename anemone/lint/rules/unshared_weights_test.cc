#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::unshared_weights_test {

constexpr Example kExamples[] = {
    {.fact = "S07",
     .message = "1 weight (0.0 MB) of equal name and shape with other bytes in another function",
     .functions = R"(func a<ios18>(f16[1,4] x) {
 f16[32,4] w = const()[name = s("w"), val = f16[32,4](=1)];
 f16[1,32] y = linear(x = x, weight = w)[name = s("y")];
} -> (y);
func b<ios18>(f16[2,4] x) {
 f16[32,4] w = const()[name = s("w"), val = f16[32,4](=2)];
 f16[2,32] y = linear(x = x, weight = w)[name = s("y")];
} -> (y);)"},
    {.fact = "S07", .functions = R"(func a<ios18>(f16[1,4] x) {
 f16[32,4] w = const()[name = s("w"), val = f16[32,4](=1)];
 f16[1,32] y = linear(x = x, weight = w)[name = s("y")];
} -> (y);
func b<ios18>(f16[2,4] x) {
 f16[33,4] w = const()[name = s("w"), val = f16[33,4](=2)];
 f16[2,33] y = linear(x = x, weight = w)[name = s("y")];
} -> (y);)"},
};

}  // namespace rule::unshared_weights_test

ANEMONE_RULE_EXAMPLES(unshared_weights) = rule::unshared_weights_test::kExamples;

}  // namespace anemone::lint
