#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::greater {

bool holds(double x, double y) { return x > y; }

}  // namespace op::greater

ANEMONE_DEFINE_OP(greater) = {
    .name = "greater",
    .says = "z = x > y, broadcast",
    .inputs = op::kNumbersXY,
    .infer = op::infer_comparison,
    .eval = op::eval_comparison<op::greater::holds>,
    .unranked = true,
};

}  // namespace anemone::mil
