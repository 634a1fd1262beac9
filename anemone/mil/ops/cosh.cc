#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::cosh {

double y(double x) { return std::cosh(x); }

}  // namespace op::cosh

ANEMONE_DEFINE_OP(cosh) = {
    .name = "cosh",
    .says = "y = cosh(x)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::cosh::y>,
    .unranked = true,
};

}  // namespace anemone::mil
