#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::recurrent_test {

constexpr Example kExamples[] = {
    {.fact = "O15",
     .ports = "f16[2,1,3] x",
     .statements =
         R"(f16[2,1,1] y, f16[1,1] h = rnn(x = x, initial_h = f16[1,1](=0), weight_ih = f16[1,3](=1), weight_hh = f16[1,1](=1), output_sequence = b(true), direction = s("forward"), activation = s("tanh"));)",
     .message = "rnn has no kernel on the Neural Engine"},
    {.fact = "O15",
     .ports = "f16[2,1,3] x",
     .statements = R"(f16[2,1,1] y = matmul(x = x, y = f16[3,1](=1));)"},
};

}  // namespace rule::recurrent_test

ANEMONE_RULE_EXAMPLES(recurrent) = rule::recurrent_test::kExamples;

}  // namespace anemone::lint
