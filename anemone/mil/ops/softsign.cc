#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::softsign {

double y(double x) { return x / (1 + std::abs(x)); }

}  // namespace op::softsign

ANEMONE_DEFINE_OP(softsign) = {
    .name = "softsign",
    .says = "y = x / (1 + |x|)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::softsign::y>,
    .unranked = true,
};

}  // namespace anemone::mil
