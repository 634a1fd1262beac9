#include "anemone/mil/ops/reduction.h"

namespace anemone::mil {
namespace op::reduce_l1_norm {

double of(std::span<const double> group) {
  double sum = 0;
  for (const double x : group) sum += std::abs(x);
  return sum;
}

}  // namespace op::reduce_l1_norm

ANEMONE_DEFINE_OP(reduce_l1_norm) = {
    .name = "reduce_l1_norm",
    .says = "y = sum of |x| over axes (all of them where none are named)",
    .inputs = op::kReductionInputs,
    .infer = op::infer_reduction,
    .eval = op::eval_reduction<op::reduce_l1_norm::of>,
};

}  // namespace anemone::mil
