#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::tan {

double y(double x) { return std::tan(x); }

}  // namespace op::tan

ANEMONE_DEFINE_OP(tan) = {
    .name = "tan",
    .says = "y = tan(x)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::tan::y>,
    .unranked = true,
};

}  // namespace anemone::mil
