#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::sinh {

double y(double x) { return std::sinh(x); }

}  // namespace op::sinh

ANEMONE_DEFINE_OP(sinh) = {
    .name = "sinh",
    .says = "y = sinh(x)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::sinh::y>,
    .unranked = true,
};

}  // namespace anemone::mil
