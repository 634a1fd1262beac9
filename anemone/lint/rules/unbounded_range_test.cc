#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::unbounded_range_test {

constexpr Example kExamples[] = {
    {.fact = "S02",
     .ports = "f16[?,4] x",
     .statements = R"(f16[?,4] y = relu(x = x);)",
     .message = "the range of the input 'x' has no upper bound",
     .flexible = FlexibleInput::Kind::kUnboundedRange},
    {.fact = "S02",
     .ports = "f16[?,4] x",
     .statements = R"(f16[?,4] y = relu(x = x);)",
     .flexible = FlexibleInput::Kind::kRange},
};

}  // namespace rule::unbounded_range_test

ANEMONE_RULE_EXAMPLES(unbounded_range) = rule::unbounded_range_test::kExamples;

}  // namespace anemone::lint
