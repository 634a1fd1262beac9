#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::erf {

double y(double x) { return std::erf(x); }

}  // namespace op::erf

ANEMONE_DEFINE_OP(erf) = {
    .name = "erf",
    .says = "y = 2 / sqrt(pi) * integral of exp(-t^2) from 0 to x",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::erf::y>,
    .unranked = true,
};

}  // namespace anemone::mil
