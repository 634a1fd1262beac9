#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::spatial_softmax_test {

constexpr Example kExamples[] = {
    {.fact = "N16",
     .ports = "f16[1,8,8,1024] x",
     .statements = R"(f16[1,8,8,1024] y = softmax(x = x, axis = i32(-1));)",
     .message = "softmax over axis 3 of [1, 8, 8, 1024]"},
    {.fact = "N16",
     .ports = "f16[1,1024,8,8] x",
     .statements = R"(f16[1,1024,8,8] y = softmax(x = x, axis = i32(1));)"},
};

}  // namespace rule::spatial_softmax_test

ANEMONE_RULE_EXAMPLES(spatial_softmax) = rule::spatial_softmax_test::kExamples;

}  // namespace anemone::lint
