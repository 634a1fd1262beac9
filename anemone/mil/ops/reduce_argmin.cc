#include "anemone/mil/ops/arg_reduction.h"

namespace anemone::mil {
namespace op::reduce_argmin {

constexpr Opset kRevised[] = {Opset::kIos17};

bool beats(double candidate, double best) { return candidate < best; }

}  // namespace op::reduce_argmin

ANEMONE_DEFINE_OP(reduce_argmin) = {
    .name = "reduce_argmin",
    .revised = op::reduce_argmin::kRevised,
    .says = "the index of the least x along axis; of equal ones the first",
    .inputs = op::kArgReductionInputs,
    .infer = op::infer_arg_reduction,
    .eval = op::eval_arg_reduction<op::reduce_argmin::beats>,
};

}  // namespace anemone::mil
