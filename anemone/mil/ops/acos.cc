#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::acos {

double y(double x) { return std::acos(x); }

}  // namespace op::acos

ANEMONE_DEFINE_OP(acos) = {
    .name = "acos",
    .says = "y = arccos(x)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::acos::y>,
    .unranked = true,
};

}  // namespace anemone::mil
