#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::minimum {

// NaN if one of the two is.
double of_floats(double x, double y) { return x < y || std::isnan(x) ? x : y; }
std::int64_t of_ints(const Call&, std::int64_t x, std::int64_t y) { return std::min(x, y); }

}  // namespace op::minimum

ANEMONE_DEFINE_OP(minimum) = {
    .name = "minimum",
    .says = "z = x > y ? y : x, broadcast",
    .inputs = op::kNumbersXY,
    .infer = op::infer_binary,
    .eval = op::eval_binary<op::minimum::of_floats, op::minimum::of_ints>,
    .unranked = true,
};

}  // namespace anemone::mil
