#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::extent_65536_test {

constexpr Example kExamples[] = {
    {.fact = "L05",
     .ports = "f16[1,70000] x",
     .statements = R"(f16[1,70000] y = relu(x = x);)",
     .message = "an axis 70,000 long; the limit is 65,536",
     .chip = "M4"},
    {.fact = "L05",
     .ports = "f16[1,65536] x",
     .statements = R"(f16[1,65536] y = relu(x = x);)",
     .chip = "M4"},
};

}  // namespace rule::extent_65536_test

ANEMONE_RULE_EXAMPLES(extent_65536) = rule::extent_65536_test::kExamples;

}  // namespace anemone::lint
