#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::less {

bool holds(double x, double y) { return x < y; }

}  // namespace op::less

ANEMONE_DEFINE_OP(less) = {
    .name = "less",
    .says = "z = x < y, broadcast",
    .inputs = op::kNumbersXY,
    .infer = op::infer_comparison,
    .eval = op::eval_comparison<op::less::holds>,
    .unranked = true,
};

}  // namespace anemone::mil
