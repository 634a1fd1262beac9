#include "anemone/mil/ops/reduction.h"

namespace anemone::mil {
namespace op::reduce_log_sum_exp {

double of(std::span<const double> group) {
  double top = group.front();
  for (const double x : group) top = std::max(top, x);
  if (std::isinf(top)) return top;
  double sum = 0;
  for (const double x : group) sum += std::exp(x - top);
  return top + std::log(sum);
}

}  // namespace op::reduce_log_sum_exp

ANEMONE_DEFINE_OP(reduce_log_sum_exp) = {
    .name = "reduce_log_sum_exp",
    .says = "y = log(sum of e^x) over axes (all of them where none are named)",
    .inputs = op::kReductionInputs,
    .infer = op::infer_reduction,
    .eval = op::eval_nonempty_reduction<op::reduce_log_sum_exp::of>,
};

}  // namespace anemone::mil
