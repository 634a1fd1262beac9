#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::floor_div {

double of_floats(double x, double y) { return std::floor(x / y); }

std::int64_t of_ints(const Call& call, std::int64_t x, std::int64_t y) {
  if (y == 0) call.fail("divides " + std::to_string(x) + " by 0");
  return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
}

}  // namespace op::floor_div

ANEMONE_DEFINE_OP(floor_div) = {
    .name = "floor_div",
    .says = "z = the greatest integer not above x / y, broadcast",
    .inputs = op::kNumbersXY,
    .infer = op::infer_binary,
    .eval = op::eval_binary<op::floor_div::of_floats, op::floor_div::of_ints>,
    .unranked = true,
};

}  // namespace anemone::mil
