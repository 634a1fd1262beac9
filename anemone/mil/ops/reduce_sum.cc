#include "anemone/mil/ops/reduction.h"

namespace anemone::mil {
namespace op::reduce_sum {

double of(std::span<const double> group) {
  double sum = 0;
  for (const double x : group) sum += x;
  return sum;
}

}  // namespace op::reduce_sum

ANEMONE_DEFINE_OP(reduce_sum) = {
    .name = "reduce_sum",
    .says = "y = sum of x over axes (all of them where none are named)",
    .inputs = op::kReductionInputs,
    .infer = op::infer_reduction,
    .eval = op::eval_reduction<op::reduce_sum::of>,
};

}  // namespace anemone::mil
