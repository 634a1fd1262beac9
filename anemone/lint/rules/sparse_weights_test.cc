#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::sparse_weights_test {

constexpr Example kExamples[] = {
    {.fact = "W07",
     .ports = "f16[1,8] x",
     .statements =
         R"(
      f16[2,8] w = constexpr_sparse_to_dense(nonzero_data = f16[2](1,2), mask = u1[2,8]([1,0,0,0,0,0,0,0],[1,0,0,0,0,0,0,0]));
      f16[1,2] y = linear(x = x, weight = w);)",
     .message = "a sparse weight"},
    {.fact = "W07",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = f16[1,1,16,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)"},
};

}  // namespace rule::sparse_weights_test

ANEMONE_RULE_EXAMPLES(sparse_weights) = rule::sparse_weights_test::kExamples;

}  // namespace anemone::lint
