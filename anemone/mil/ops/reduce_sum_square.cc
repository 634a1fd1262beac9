#include "anemone/mil/ops/reduction.h"

namespace anemone::mil {
namespace op::reduce_sum_square {

double of(std::span<const double> group) {
  double sum = 0;
  for (const double x : group) sum += x * x;
  return sum;
}

}  // namespace op::reduce_sum_square

ANEMONE_DEFINE_OP(reduce_sum_square) = {
    .name = "reduce_sum_square",
    .says = "y = sum of x^2 over axes (all of them where none are named)",
    .inputs = op::kReductionInputs,
    .infer = op::infer_reduction,
    .eval = op::eval_reduction<op::reduce_sum_square::of>,
};

}  // namespace anemone::mil
