#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::mul {

double of_floats(double x, double y) { return x * y; }
std::int64_t of_ints(const Call&, std::int64_t x, std::int64_t y) { return x * y; }

}  // namespace op::mul

ANEMONE_DEFINE_OP(mul) = {
    .name = "mul",
    .says = "z = x * y, broadcast",
    .inputs = op::kNumbersXY,
    .infer = op::infer_binary,
    .eval = op::eval_binary<op::mul::of_floats, op::mul::of_ints>,
    .unranked = true,
};

}  // namespace anemone::mil
