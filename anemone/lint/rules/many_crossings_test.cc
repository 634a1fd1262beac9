#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::many_crossings_test {

constexpr Example kExamples[] = {
    {.fact = "R17",
     .ports = "f16[1,4] x",
     .statements =
         R"(f16[1,4] r0 = relu(x = x); f16[1,4] g0 = cumsum(x = r0, axis = i32(1), exclusive = b(false), reverse = b(false));
f16[1,4] r1 = relu(x = g0); f16[1,4] g1 = cumsum(x = r1, axis = i32(1), exclusive = b(false), reverse = b(false));
f16[1,4] r2 = relu(x = g1); f16[1,4] g2 = cumsum(x = r2, axis = i32(1), exclusive = b(false), reverse = b(false));
f16[1,4] r3 = relu(x = g2); f16[1,4] g3 = cumsum(x = r3, axis = i32(1), exclusive = b(false), reverse = b(false));
f16[1,4] r4 = relu(x = g3); f16[1,4] g4 = cumsum(x = r4, axis = i32(1), exclusive = b(false), reverse = b(false));
f16[1,4] y = relu(x = g4);)",
     .message = "10 hand-overs between the engine and other units"},
    {.fact = "R17",
     .ports = "f16[1,4] x",
     .statements =
         R"(f16[1,4] r0 = relu(x = x); f16[1,4] g0 = cumsum(x = r0, axis = i32(1), exclusive = b(false), reverse = b(false));
f16[1,4] r1 = relu(x = g0); f16[1,4] g1 = cumsum(x = r1, axis = i32(1), exclusive = b(false), reverse = b(false));
f16[1,4] r2 = relu(x = g1); f16[1,4] g2 = cumsum(x = r2, axis = i32(1), exclusive = b(false), reverse = b(false));
f16[1,4] r3 = relu(x = g2); f16[1,4] g3 = cumsum(x = r3, axis = i32(1), exclusive = b(false), reverse = b(false));
f16[1,4] y = relu(x = g3);)"},
};

}  // namespace rule::many_crossings_test

ANEMONE_RULE_EXAMPLES(many_crossings) = rule::many_crossings_test::kExamples;

}  // namespace anemone::lint
