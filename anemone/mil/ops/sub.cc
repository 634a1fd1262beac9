#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::sub {

double of_floats(double x, double y) { return x - y; }
std::int64_t of_ints(const Call&, std::int64_t x, std::int64_t y) { return x - y; }

}  // namespace op::sub

ANEMONE_DEFINE_OP(sub) = {
    .name = "sub",
    .says = "z = x - y, broadcast",
    .inputs = op::kNumbersXY,
    .infer = op::infer_binary,
    .eval = op::eval_binary<op::sub::of_floats, op::sub::of_ints>,
    .unranked = true,
};

}  // namespace anemone::mil
