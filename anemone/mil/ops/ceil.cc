#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::ceil {

double y(double x) { return std::ceil(x); }

}  // namespace op::ceil

ANEMONE_DEFINE_OP(ceil) = {
    .name = "ceil",
    .says = "y = the least integer not below x",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::ceil::y>,
    .unranked = true,
};

}  // namespace anemone::mil
