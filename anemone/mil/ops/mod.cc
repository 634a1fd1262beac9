#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::mod {

double of_floats(double x, double y) { return x - std::floor(x / y) * y; }

std::int64_t of_ints(const Call& call, std::int64_t x, std::int64_t y) {
  if (y == 0) call.fail("divides " + std::to_string(x) + " by 0");
  return (x % y + y) % y;
}

}  // namespace op::mod

ANEMONE_DEFINE_OP(mod) = {
    .name = "mod",
    .says = "z = x - floor(x / y) y, broadcast",
    .inputs = op::kNumbersXY,
    .infer = op::infer_binary,
    .eval = op::eval_binary<op::mod::of_floats, op::mod::of_ints>,
    .unranked = true,
};

}  // namespace anemone::mil
