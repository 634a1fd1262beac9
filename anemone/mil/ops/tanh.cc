#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::tanh {

double y(double x) { return std::tanh(x); }

}  // namespace op::tanh

ANEMONE_DEFINE_OP(tanh) = {
    .name = "tanh",
    .says = "y = tanh(x)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::tanh::y>,
    .unranked = true,
};

}  // namespace anemone::mil
