#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::tile_test {

constexpr Example kExamples[] = {
    {.fact = "O21",
     .ports = "f16[1,4] x",
     .statements = R"(f16[2,4] y = tile(x = x, reps = i32[2](2,1));)",
     .message = "tile was right on M5 and spoiled later evaluations on M3 Max"},
    {.fact = "O21",
     .ports = "f16[1,4] x",
     .statements =
         R"(f16[2,4] y = concat(values = (x, x), axis = i32(0), interleave = b(false));)"},
};

}  // namespace rule::tile_test

ANEMONE_RULE_EXAMPLES(tile) = rule::tile_test::kExamples;

}  // namespace anemone::lint
