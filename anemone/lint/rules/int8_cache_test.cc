#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::int8_cache_test {

constexpr Example kExamples[] = {
    {.fact = "T09",
     .ports = "i8[2,4,64,32] x",
     .statements = R"(f16[2,4,64,32] y = dequantize(input = x, scale = f16(0.5));)",
     .message = "the cache 'x' is int8"},
    {.fact = "T09",
     .ports = "f16[2,4,64,32] x",
     .statements = R"(f16[2,4,64,32] y = relu(x = x);)"},
};

}  // namespace rule::int8_cache_test

ANEMONE_RULE_EXAMPLES(int8_cache) = rule::int8_cache_test::kExamples;

}  // namespace anemone::lint
