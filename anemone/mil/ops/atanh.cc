#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::atanh {

double y(double x) { return std::atanh(x); }

}  // namespace op::atanh

ANEMONE_DEFINE_OP(atanh) = {
    .name = "atanh",
    .says = "y = artanh(x)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::atanh::y>,
    .unranked = true,
};

}  // namespace anemone::mil
