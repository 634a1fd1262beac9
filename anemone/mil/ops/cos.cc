#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::cos {

double y(double x) { return std::cos(x); }

}  // namespace op::cos

ANEMONE_DEFINE_OP(cos) = {
    .name = "cos",
    .says = "y = cos(x)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::cos::y>,
    .unranked = true,
};

}  // namespace anemone::mil
