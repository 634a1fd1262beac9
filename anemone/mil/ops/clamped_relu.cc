#include "anemone/mil/ops/activation.h"

namespace anemone::mil {
namespace op::clamped_relu {

// NaN stays: std::min gives its first number where neither is less.
double y(double x, double alpha, double beta) { return std::min(x >= 0 ? x : alpha * x, beta); }

}  // namespace op::clamped_relu

ANEMONE_DEFINE_OP(clamped_relu) = {
    .name = "clamped_relu",
    .revised = op::kRevisedIn17,
    .says = "y = min(beta, x >= 0 ? x : alpha x)",
    .inputs = op::kAlphaBetaInputs,
    .infer = op::infer_like_x,
    .eval = op::eval_alpha_beta<op::clamped_relu::y>,
    .unranked = true,
};

}  // namespace anemone::mil
