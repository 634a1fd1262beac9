#include "anemone/mil/ops/activation.h"

namespace anemone::mil {
namespace op::sigmoid_hard {

double y(double x, double alpha, double beta) {
  return std::min(std::max(alpha * x + beta, 0.0), 1.0);
}

}  // namespace op::sigmoid_hard

ANEMONE_DEFINE_OP(sigmoid_hard) = {
    .name = "sigmoid_hard",
    .revised = op::kRevisedIn17,
    .says = "y = min(max(alpha x + beta, 0), 1)",
    .inputs = op::kAlphaBetaInputs,
    .infer = op::infer_like_x,
    .eval = op::eval_alpha_beta<op::sigmoid_hard::y>,
    .unranked = true,
};

}  // namespace anemone::mil
