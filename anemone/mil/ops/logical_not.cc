#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::logical_not {

constexpr InputDef kInputs[] = {{.name = "x", .dtypes = kBools}};

double y(double x) { return x == 0 ? 1 : 0; }

}  // namespace op::logical_not

ANEMONE_DEFINE_OP(logical_not) = {
    .name = "logical_not",
    .says = "y = not x",
    .inputs = op::logical_not::kInputs,
    .infer = op::infer_like_x,
    .eval = op::eval_unary<op::logical_not::y>,
    .unranked = true,
};

}  // namespace anemone::mil
