#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::equal {

bool holds(double x, double y) { return x == y; }

}  // namespace op::equal

ANEMONE_DEFINE_OP(equal) = {
    .name = "equal",
    .says = "z = x == y, broadcast",
    .inputs = op::kNumbersXY,
    .infer = op::infer_comparison,
    .eval = op::eval_comparison<op::equal::holds>,
    .unranked = true,
};

}  // namespace anemone::mil
