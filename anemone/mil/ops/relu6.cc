#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::relu6 {

double y(double x) { return x < 0 ? 0 : x > 6 ? 6 : x; }

}  // namespace op::relu6

ANEMONE_DEFINE_OP(relu6) = {
    .name = "relu6",
    .says = "y = min(max(x, 0), 6)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::relu6::y>,
    .unranked = true,
};

}  // namespace anemone::mil
