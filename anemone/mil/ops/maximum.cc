#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::maximum {

// NaN if one of the two is.
double of_floats(double x, double y) { return x > y || std::isnan(x) ? x : y; }
std::int64_t of_ints(const Call&, std::int64_t x, std::int64_t y) { return std::max(x, y); }

}  // namespace op::maximum

ANEMONE_DEFINE_OP(maximum) = {
    .name = "maximum",
    .says = "z = x > y ? x : y, broadcast",
    .inputs = op::kNumbersXY,
    .infer = op::infer_binary,
    .eval = op::eval_binary<op::maximum::of_floats, op::maximum::of_ints>,
    .unranked = true,
};

}  // namespace anemone::mil
