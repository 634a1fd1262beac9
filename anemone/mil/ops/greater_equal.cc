#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::greater_equal {

bool holds(double x, double y) { return x >= y; }

}  // namespace op::greater_equal

ANEMONE_DEFINE_OP(greater_equal) = {
    .name = "greater_equal",
    .says = "z = x >= y, broadcast",
    .inputs = op::kNumbersXY,
    .infer = op::infer_comparison,
    .eval = op::eval_comparison<op::greater_equal::holds>,
    .unranked = true,
};

}  // namespace anemone::mil
