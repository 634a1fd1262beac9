#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::sparse_lut_test {

constexpr Example kExamples[] = {
    {.fact = "W22",
     .ports = "f16[1,8] x",
     .statements =
         R"(
      u1[2,8] m, f16[2] d = constexpr_lut_to_sparse(indices_mask = u1[2,8]([1,0,0,0,0,0,0,0],[1,0,0,0,0,0,0,0]), indices_nonzero_data = u4[2](1,2), lut = f16[1,1,16,1](=0.5));
      f16[2,8] w = constexpr_sparse_to_dense(nonzero_data = d, mask = m);
      f16[1,2] y = linear(x = x, weight = w);)",
     .message = "a weight both sparse and palettized"},
    {.fact = "W22",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[4,4] w = constexpr_lut_to_dense(indices = u4[4,4](=1), lut = f16[1,1,16,1](=0.5));
      f16[1,4] y = linear(x = x, weight = w);)"},
};

}  // namespace rule::sparse_lut_test

ANEMONE_RULE_EXAMPLES(sparse_lut) = rule::sparse_lut_test::kExamples;

}  // namespace anemone::lint
