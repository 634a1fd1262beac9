#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::logical_xor {

bool holds(double x, double y) { return (x != 0) != (y != 0); }

}  // namespace op::logical_xor

ANEMONE_DEFINE_OP(logical_xor) = {
    .name = "logical_xor",
    .says = "z = x xor y, broadcast",
    .inputs = op::kBoolsXY,
    .infer = op::infer_comparison,
    .eval = op::eval_comparison<op::logical_xor::holds>,
    .unranked = true,
};

}  // namespace anemone::mil
