#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::asin {

double y(double x) { return std::asin(x); }

}  // namespace op::asin

ANEMONE_DEFINE_OP(asin) = {
    .name = "asin",
    .says = "y = arcsin(x)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::asin::y>,
    .unranked = true,
};

}  // namespace anemone::mil
