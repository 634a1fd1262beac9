#include "anemone/mil/ops/reduction.h"

namespace anemone::mil {
namespace op::reduce_l2_norm {

double of(std::span<const double> group) {
  double sum = 0;
  for (const double x : group) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace op::reduce_l2_norm

ANEMONE_DEFINE_OP(reduce_l2_norm) = {
    .name = "reduce_l2_norm",
    .says = "y = sqrt(sum of x^2) over axes (all of them where none are named)",
    .inputs = op::kReductionInputs,
    .infer = op::infer_reduction,
    .eval = op::eval_reduction<op::reduce_l2_norm::of>,
};

}  // namespace anemone::mil
