#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::add {

double of_floats(double x, double y) { return x + y; }
std::int64_t of_ints(const Call&, std::int64_t x, std::int64_t y) { return x + y; }

}  // namespace op::add

ANEMONE_DEFINE_OP(add) = {
    .name = "add",
    .says = "z = x + y, broadcast",
    .inputs = op::kNumbersXY,
    .infer = op::infer_binary,
    .eval = op::eval_binary<op::add::of_floats, op::add::of_ints>,
    .unranked = true,
};

}  // namespace anemone::mil
