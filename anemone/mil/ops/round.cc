#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::round {

double y(double x) { return std::nearbyint(x); }

}  // namespace op::round

ANEMONE_DEFINE_OP(round) = {
    .name = "round",
    .says = "y = the integer nearest to x, ties to even",
    .inputs = op::kFloatX,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::round::y>,
    .unranked = true,
};

}  // namespace anemone::mil
