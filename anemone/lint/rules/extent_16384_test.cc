#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::extent_16384_test {

constexpr Example kExamples[] = {
    {.fact = "L04",
     .ports = "f16[1,768,32000,1] x",
     .statements = R"(f16[1,768,1,32000] y = transpose(x = x, perm = i32[4](0,1,3,2));)",
     .message = "axis 3 is 32,000 long; the limit of a spatial axis is 16,384"},
    {.fact = "L04",
     .ports = "f16[1,1,768,16000] x",
     .statements = R"(f16[1,16000,768,1] y = transpose(x = x, perm = i32[4](0,3,2,1));)"},
    // A head of a large vocabulary, and a long context.
    {.fact = "L04",
     .ports = "f16[1,1,2] x, f16[151936,2] w",
     .statements = R"(f16[1,1,151936] y = matmul(x = x, y = w, transpose_y = b(true));)",
     .message = "axis 2 is 151,936 long; the limit of a spatial axis is 16,384"},
    {.fact = "L04",
     .ports = "f16[1,1,4,32] x, f16[1,1,20000,32] k",
     .statements = R"(f16[1,1,4,20000] y = matmul(x = x, y = k, transpose_y = b(true));)",
     .message = "axis 3 is 20,000 long; the limit of a spatial axis is 16,384"},
    {.fact = "L04",
     .ports = "f16[1,20000,4,1] x",
     .statements = R"(f16[1,20000,4,1] y = softmax(x = x, axis = i32(1));)"},
    {.fact = "L04",
     .ports = "f16[1,32000] x",
     .statements = R"(f16[1,32000] y = relu(x = x);)",
     .chip = "M5"},
};

}  // namespace rule::extent_16384_test

ANEMONE_RULE_EXAMPLES(extent_16384) = rule::extent_16384_test::kExamples;

}  // namespace anemone::lint
