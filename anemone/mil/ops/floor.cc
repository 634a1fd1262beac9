#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::floor {

double y(double x) { return std::floor(x); }

}  // namespace op::floor

ANEMONE_DEFINE_OP(floor) = {
    .name = "floor",
    .says = "y = the greatest integer not above x",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::floor::y>,
    .unranked = true,
};

}  // namespace anemone::mil
