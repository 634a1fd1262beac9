#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::abs {

double y(double x) { return std::abs(x); }

}  // namespace op::abs

ANEMONE_DEFINE_OP(abs) = {
    .name = "abs",
    .says = "y = |x|",
    .inputs = op::kNumberX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::abs::y>,
    .unranked = true,
};

}  // namespace anemone::mil
