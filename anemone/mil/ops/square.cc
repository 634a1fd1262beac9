#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::square {

std::vector<Tensor> eval(const Call& call) {
  const Tensor& x = call.tensor("x");
  if (is_float(x.dtype())) return {mapped(x, [](double value) { return value * value; })};
  std::vector<std::int64_t> y = x.to_ints();
  for (std::int64_t& value : y) value = wrapped(x.dtype(), value * value);
  return {Tensor::from_ints(x.dtype(), x.shape(), y)};
}

}  // namespace op::square

ANEMONE_DEFINE_OP(square) = {
    .name = "square",
    .says = "y = x^2",
    .inputs = op::kNumberX,
    .infer = op::infer_like_x,
    .eval = op::square::eval,
    .unranked = true,
};

}  // namespace anemone::mil
