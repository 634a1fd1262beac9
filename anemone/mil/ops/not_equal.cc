#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::not_equal {

bool holds(double x, double y) { return x != y; }

}  // namespace op::not_equal

ANEMONE_DEFINE_OP(not_equal) = {
    .name = "not_equal",
    .says = "z = x != y, broadcast",
    .inputs = op::kNumbersXY,
    .infer = op::infer_comparison,
    .eval = op::eval_comparison<op::not_equal::holds>,
    .unranked = true,
};

}  // namespace anemone::mil
