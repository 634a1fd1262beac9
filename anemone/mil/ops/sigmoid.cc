#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::sigmoid {

double y(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace op::sigmoid

ANEMONE_DEFINE_OP(sigmoid) = {
    .name = "sigmoid",
    .says = "y = 1 / (1 + e^-x)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::sigmoid::y>,
    .unranked = true,
};

}  // namespace anemone::mil
