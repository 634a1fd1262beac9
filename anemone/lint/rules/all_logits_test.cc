#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::all_logits_test {

constexpr Example kExamples[] = {
    {.fact = "W11",
     .ports = "f16[1,2,1] x",
     .statements = R"(f16[1,2,16384] y = linear(x = x, weight = f16[16384,1](=1));)",
     .message = "logits of 2 positions, 16,384 each"},
    {.fact = "W11",
     .ports = "f16[1,?,1] x",
     .statements = R"(f16[1,?,16384] y = linear(x = x, weight = f16[16384,1](=1));)",
     .message = "logits of all positions of a call, 16,384 each"},
    {.fact = "W11",
     .ports = "f16[1,1,1] x",
     .statements = R"(f16[1,1,16384] y = linear(x = x, weight = f16[16384,1](=1));)"},
};

}  // namespace rule::all_logits_test

ANEMONE_RULE_EXAMPLES(all_logits) = rule::all_logits_test::kExamples;

}  // namespace anemone::lint
