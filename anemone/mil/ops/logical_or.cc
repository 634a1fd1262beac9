#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::logical_or {

bool holds(double x, double y) { return x != 0 || y != 0; }

}  // namespace op::logical_or

ANEMONE_DEFINE_OP(logical_or) = {
    .name = "logical_or",
    .says = "z = x or y, broadcast",
    .inputs = op::kBoolsXY,
    .infer = op::infer_comparison,
    .eval = op::eval_comparison<op::logical_or::holds>,
    .unranked = true,
};

}  // namespace anemone::mil
