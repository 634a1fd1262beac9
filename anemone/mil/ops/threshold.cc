#include "anemone/mil/ops/activation.h"

namespace anemone::mil {
namespace op::threshold {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kNumbers, .domain = 'T'},
    {.name = "alpha", .dtypes = kNumbers, .max_rank = 0, .is_const = true, .domain = 'T'},
};

double y(double x, double alpha) { return x < alpha ? alpha : x; }

}  // namespace op::threshold

ANEMONE_DEFINE_OP(threshold) = {
    .name = "threshold",
    .says = "y = max(x, alpha)",
    .inputs = op::threshold::kInputs,
    .infer = op::infer_like_x,
    .eval = op::eval_alpha<op::threshold::y>,
    .unranked = true,
};

}  // namespace anemone::mil
