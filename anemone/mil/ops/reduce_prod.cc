#include "anemone/mil/ops/reduction.h"

namespace anemone::mil {
namespace op::reduce_prod {

double of(std::span<const double> group) {
  double product = 1;
  for (const double x : group) product *= x;
  return product;
}

}  // namespace op::reduce_prod

ANEMONE_DEFINE_OP(reduce_prod) = {
    .name = "reduce_prod",
    .says = "y = product of x over axes (all of them where none are named)",
    .inputs = op::kReductionInputs,
    .infer = op::infer_reduction,
    .eval = op::eval_reduction<op::reduce_prod::of>,
};

}  // namespace anemone::mil
