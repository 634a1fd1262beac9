#include "anemone/mil/ops/activation.h"

namespace anemone::mil {
namespace op::thresholded_relu {

double y(double x, double alpha) { return x >= alpha ? x : 0; }

}  // namespace op::thresholded_relu

ANEMONE_DEFINE_OP(thresholded_relu) = {
    .name = "thresholded_relu",
    .revised = op::kRevisedIn17,
    .says = "y = x >= alpha ? x : 0",
    .inputs = op::kAlphaInputs,
    .infer = op::infer_like_x,
    .eval = op::eval_alpha<op::thresholded_relu::y>,
    .unranked = true,
};

}  // namespace anemone::mil
