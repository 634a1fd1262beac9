#include "anemone/mil/ops/reduction.h"

namespace anemone::mil {
namespace op::reduce_min {

double of(std::span<const double> group) {
  double least = group.front();
  // NaN if one of them is.
  for (const double x : group) least = x < least || std::isnan(x) ? x : least;
  return least;
}

}  // namespace op::reduce_min

ANEMONE_DEFINE_OP(reduce_min) = {
    .name = "reduce_min",
    .says = "y = least x over axes (all of them where none are named)",
    .inputs = op::kReductionInputs,
    .infer = op::infer_reduction,
    .eval = op::eval_nonempty_reduction<op::reduce_min::of>,
};

}  // namespace anemone::mil
