#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::logical_and {

bool holds(double x, double y) { return x != 0 && y != 0; }

}  // namespace op::logical_and

ANEMONE_DEFINE_OP(logical_and) = {
    .name = "logical_and",
    .says = "z = x and y, broadcast",
    .inputs = op::kBoolsXY,
    .infer = op::infer_comparison,
    .eval = op::eval_comparison<op::logical_and::holds>,
    .unranked = true,
};

}  // namespace anemone::mil
