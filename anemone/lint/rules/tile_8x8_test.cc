#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::tile_8x8_test {

constexpr Example kExamples[] = {
    {.fact = "L15",
     .ports = "f16[1,2,1,64] x",
     .statements = R"(f16[1,2,1,64] y = conv(x = x, weight = f16[2,2,1,1](=1));)",
     .message = "1 convolution on (B, C, 1, 64)"},
    {.fact = "L15",
     .ports = "f16[1,2,8,8] x",
     .statements = R"(f16[1,2,8,8] y = conv(x = x, weight = f16[2,2,1,1](=1));)"},
};

}  // namespace rule::tile_8x8_test

ANEMONE_RULE_EXAMPLES(tile_8x8) = rule::tile_8x8_test::kExamples;

}  // namespace anemone::lint
