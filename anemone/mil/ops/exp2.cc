#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::exp2 {

double y(double x) { return std::exp2(x); }

}  // namespace op::exp2

ANEMONE_DEFINE_OP(exp2) = {
    .name = "exp2",
    .says = "y = 2^x",
    .inputs = op::kNumberX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::exp2::y>,
    .unranked = true,
};

}  // namespace anemone::mil
