#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::band_part_test {

constexpr Example kExamples[] = {
    {.fact = "O09",
     .ports = "f16[4,4] x",
     .statements = R"(f16[4,4] y = band_part(x = x, lower = i32(-1), upper = i32(0));)",
     .message = "band_part has no kernel on the Neural Engine"},
    {.fact = "O09",
     .ports = "f16[4,4] x",
     .statements = R"(f16[4,4] y = mul(x = x, y = f16[4,4](=1));)"},
};

}  // namespace rule::band_part_test

ANEMONE_RULE_EXAMPLES(band_part) = rule::band_part_test::kExamples;

}  // namespace anemone::lint
