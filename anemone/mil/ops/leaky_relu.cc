#include "anemone/mil/ops/activation.h"

namespace anemone::mil {
namespace op::leaky_relu {

double y(double x, double alpha) { return x >= 0 ? x : alpha * x; }

}  // namespace op::leaky_relu

ANEMONE_DEFINE_OP(leaky_relu) = {
    .name = "leaky_relu",
    .revised = op::kRevisedIn17,
    .says = "y = x >= 0 ? x : alpha x",
    .inputs = op::kAlphaInputs,
    .infer = op::infer_like_x,
    .eval = op::eval_alpha<op::leaky_relu::y>,
    .unranked = true,
};

}  // namespace anemone::mil
