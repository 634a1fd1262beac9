#include "anemone/mil/ops/activation.h"

namespace anemone::mil {
namespace op::elu {

double y(double x, double alpha) { return x > 0 ? x : alpha * std::expm1(x); }

}  // namespace op::elu

ANEMONE_DEFINE_OP(elu) = {
    .name = "elu",
    .revised = op::kRevisedIn17,
    .says = "y = x > 0 ? x : alpha (e^x - 1)",
    .inputs = op::kAlphaInputs,
    .infer = op::infer_like_x,
    .eval = op::eval_alpha<op::elu::y>,
    .unranked = true,
};

}  // namespace anemone::mil
