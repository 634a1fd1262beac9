#include "anemone/mil/ops/arg_reduction.h"

namespace anemone::mil {
namespace op::reduce_argmax {

constexpr Opset kRevised[] = {Opset::kIos17};

bool beats(double candidate, double best) { return candidate > best; }

}  // namespace op::reduce_argmax

ANEMONE_DEFINE_OP(reduce_argmax) = {
    .name = "reduce_argmax",
    .revised = op::reduce_argmax::kRevised,
    .says = "the index of the greatest x along axis; of equal ones the first",
    .inputs = op::kArgReductionInputs,
    .infer = op::infer_arg_reduction,
    .eval = op::eval_arg_reduction<op::reduce_argmax::beats>,
};

}  // namespace anemone::mil
