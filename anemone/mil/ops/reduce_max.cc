#include "anemone/mil/ops/reduction.h"

namespace anemone::mil {
namespace op::reduce_max {

double of(std::span<const double> group) {
  double top = group.front();
  // NaN if one of them is.
  for (const double x : group) top = x > top || std::isnan(x) ? x : top;
  return top;
}

}  // namespace op::reduce_max

ANEMONE_DEFINE_OP(reduce_max) = {
    .name = "reduce_max",
    .says = "y = greatest x over axes (all of them where none are named)",
    .inputs = op::kReductionInputs,
    .infer = op::infer_reduction,
    .eval = op::eval_nonempty_reduction<op::reduce_max::of>,
};

}  // namespace anemone::mil
