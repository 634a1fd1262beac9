#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::pow {

double of_floats(double x, double y) { return std::pow(x, y); }

// Exact, then wrapped; what lies between integers (a negative power) is cut off.
std::int64_t of_ints(const Call& call, std::int64_t x, std::int64_t y) {
  if (y < 0) {
    if (x == 0) call.fail("raises 0 to the power " + std::to_string(y));
    return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
  }
  std::uint64_t power = 1;
  auto base = static_cast<std::uint64_t>(x);
  for (; y > 0; y /= 2, base *= base) {
    if (y % 2 == 1) power *= base;
  }
  return static_cast<std::int64_t>(power);
}

}  // namespace op::pow

ANEMONE_DEFINE_OP(pow) = {
    .name = "pow",
    .says = "z = x^y, broadcast",
    .inputs = op::kNumbersXY,
    .infer = op::infer_binary,
    .eval = op::eval_binary<op::pow::of_floats, op::pow::of_ints>,
    .unranked = true,
};

}  // namespace anemone::mil
