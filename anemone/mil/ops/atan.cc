#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::atan {

double y(double x) { return std::atan(x); }

}  // namespace op::atan

ANEMONE_DEFINE_OP(atan) = {
    .name = "atan",
    .says = "y = arctan(x)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::atan::y>,
    .unranked = true,
};

}  // namespace anemone::mil
