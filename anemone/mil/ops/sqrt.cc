#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::sqrt {

double y(double x) { return std::sqrt(x); }

}  // namespace op::sqrt

ANEMONE_DEFINE_OP(sqrt) = {
    .name = "sqrt",
    .says = "y = sqrt(x)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::sqrt::y>,
    .unranked = true,
};

}  // namespace anemone::mil
