#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::sign {

double y(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

}  // namespace op::sign

ANEMONE_DEFINE_OP(sign) = {
    .name = "sign",
    .says = "y = -1, 0 or 1, as x is",
    .inputs = op::kNumberX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::sign::y>,
    .unranked = true,
};

}  // namespace anemone::mil
