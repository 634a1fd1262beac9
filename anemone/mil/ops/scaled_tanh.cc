#include "anemone/mil/ops/activation.h"

namespace anemone::mil {
namespace op::scaled_tanh {

double y(double x, double alpha, double beta) { return alpha * std::tanh(beta * x); }

}  // namespace op::scaled_tanh

ANEMONE_DEFINE_OP(scaled_tanh) = {
    .name = "scaled_tanh",
    .revised = op::kRevisedIn17,
    .says = "y = alpha tanh(beta x)",
    .inputs = op::kAlphaBetaInputs,
    .infer = op::infer_like_x,
    .eval = op::eval_alpha_beta<op::scaled_tanh::y>,
    .unranked = true,
};

}  // namespace anemone::mil
