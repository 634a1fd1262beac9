#include "anemone/mil/ops/activation.h"

namespace anemone::mil {
namespace op::linear_activation {

double y(double x, double alpha, double beta) { return alpha * x + beta; }

}  // namespace op::linear_activation

ANEMONE_DEFINE_OP(linear_activation) = {
    .name = "linear_activation",
    .revised = op::kRevisedIn17,
    .says = "y = alpha x + beta",
    .inputs = op::kAlphaBetaInputs,
    .infer = op::infer_like_x,
    .eval = op::eval_alpha_beta<op::linear_activation::y>,
    .unranked = true,
};

}  // namespace anemone::mil
