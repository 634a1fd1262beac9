#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::huge_image_test {

constexpr Example kExamples[] = {
    {.fact = "L18",
     .ports = "f16[1,3,5568,5568] x",
     .statements = R"(f16[1,3,5568,5568] y = relu(x = x);)",
     .message = "5568 by 5568 at the interface"},
    {.fact = "L18",
     .ports = "f16[1,3,4096,4096] x",
     .statements = R"(f16[1,3,4096,4096] y = relu(x = x);)"},
};

}  // namespace rule::huge_image_test

ANEMONE_RULE_EXAMPLES(huge_image) = rule::huge_image_test::kExamples;

}  // namespace anemone::lint
