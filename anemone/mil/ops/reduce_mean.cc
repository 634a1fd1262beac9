#include "anemone/mil/ops/reduction.h"

namespace anemone::mil {
namespace op::reduce_mean {

double of(std::span<const double> group) {
  double sum = 0;
  for (const double x : group) sum += x;
  return sum / static_cast<double>(group.size());
}

}  // namespace op::reduce_mean

ANEMONE_DEFINE_OP(reduce_mean) = {
    .name = "reduce_mean",
    .says = "y = mean of x over axes (all of them where none are named)",
    .inputs = op::kReductionInputs,
    .infer = op::infer_reduction,
    .eval = op::eval_nonempty_reduction<op::reduce_mean::of>,
};

}  // namespace anemone::mil
