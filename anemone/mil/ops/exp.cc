#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::exp {

double y(double x) { return std::exp(x); }

}  // namespace op::exp

ANEMONE_DEFINE_OP(exp) = {
    .name = "exp",
    .says = "y = e^x",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::exp::y>,
    .unranked = true,
};

}  // namespace anemone::mil
