#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::infinite_mask_test {

constexpr Example kExamples[] = {
    {.fact = "N07",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = add(x = x, y = f16[4](0, 0, -inf, -inf));)",
     .message = "the constant bound to 'y' holds -inf or fp16's lowest number"},
    {.fact = "N07",
     .ports = "f16[1,4] x",
     .statements = R"(f16[1,4] y = add(x = x, y = f16[4](0, 0, -10000, -10000));)"},
};

}  // namespace rule::infinite_mask_test

ANEMONE_RULE_EXAMPLES(infinite_mask) = rule::infinite_mask_test::kExamples;

}  // namespace anemone::lint
