#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::softplus {

double y(double x) { return std::log1p(std::exp(-std::abs(x))) + (x < 0 ? 0 : x); }

}  // namespace op::softplus

ANEMONE_DEFINE_OP(softplus) = {
    .name = "softplus",
    .says = "y = log(1 + e^x)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::softplus::y>,
    .unranked = true,
};

}  // namespace anemone::mil
