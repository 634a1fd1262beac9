#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::silu {

double y(double x) { return x / (1 + std::exp(-x)); }

}  // namespace op::silu

ANEMONE_DEFINE_OP(silu) = {
    .name = "silu",
    .says = "y = x / (1 + e^-x)",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::silu::y>,
    .unranked = true,
};

}  // namespace anemone::mil
