#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::less_equal {

bool holds(double x, double y) { return x <= y; }

}  // namespace op::less_equal

ANEMONE_DEFINE_OP(less_equal) = {
    .name = "less_equal",
    .says = "z = x <= y, broadcast",
    .inputs = op::kNumbersXY,
    .infer = op::infer_comparison,
    .eval = op::eval_comparison<op::less_equal::holds>,
    .unranked = true,
};

}  // namespace anemone::mil
