#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::relu {

double y(double x) { return x < 0 ? 0 : x; }

}  // namespace op::relu

ANEMONE_DEFINE_OP(relu) = {
    .name = "relu",
    .says = "y = max(x, 0)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::relu::y>,
    .unranked = true,
};

}  // namespace anemone::mil
