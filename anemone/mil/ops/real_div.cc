#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::real_div {

double of_floats(double x, double y) { return x / y; }

std::int64_t of_ints(const Call& call, std::int64_t x, std::int64_t y) {
  if (y == 0) call.fail("divides " + std::to_string(x) + " by 0");
  return x / y;
}

}  // namespace op::real_div

ANEMONE_DEFINE_OP(real_div) = {
    .name = "real_div",
    .says = "z = x / y (integers: towards zero), broadcast",
    .inputs = op::kNumbersXY,
    .infer = op::infer_binary,
    .eval = op::eval_binary<op::real_div::of_floats, op::real_div::of_ints>,
    .unranked = true,
};

}  // namespace anemone::mil
