#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::split_softmax_tile_test {

constexpr Example kExamples[] = {
    {.fact = "H12",
     .ports = "f16[2,4] x",
     .statements =
         R"(
      f16[1,4] a, f16[1,4] c = split(x = x, num_splits = i32(2), axis = i32(0));
      f16[2,4] t = tile(x = a, reps = i32[2](2,1));
      f16[2,2] m = matmul(x = x, y = t, transpose_y = b(true));
      f16[2,2] y = softmax(x = m, axis = i32(-1));)",
     .message = "uses split, matmul, softmax and tile"},
    {.fact = "H12",
     .ports = "f16[2,4] x",
     .statements =
         R"(
      f16[2,2] m = matmul(x = x, y = x, transpose_y = b(true));
      f16[2,2] y = softmax(x = m, axis = i32(-1));)"},
};

}  // namespace rule::split_softmax_tile_test

ANEMONE_RULE_EXAMPLES(split_softmax_tile) = rule::split_softmax_tile_test::kExamples;

}  // namespace anemone::lint
