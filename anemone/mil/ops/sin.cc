#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::sin {

double y(double x) { return std::sin(x); }

}  // namespace op::sin

ANEMONE_DEFINE_OP(sin) = {
    .name = "sin",
    .says = "y = sin(x)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::sin::y>,
    .unranked = true,
};

}  // namespace anemone::mil
