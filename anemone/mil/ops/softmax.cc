#include "anemone/mil/op.h"

namespace anemone::mil {
namespace op::softmax {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 1},
    {.name = "axis",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{-1}},
};

std::vector<Type> infer(const Call& call) {
  call.axis("axis", call.type("x").rank());
  return {call.type("x")};
}

std::vector<Tensor> eval(const Call& call) {
  const Tensor& x = call.tensor("x");
  const auto axis = static_cast<std::size_t>(call.axis("axis", x.rank()));
  std::vector<double> y = x.to_doubles();
  const std::int64_t length = x.shape()[axis];
  const std::int64_t step = row_major_strides(x.shape())[axis];
  for (std::int64_t start = 0; length > 0 && start < x.count(); ++start) {
    if (start / step % length != 0) continue;  // not the first of its line
    const auto at = [&](std::int64_t i) -> double& {
      return y[static_cast<std::size_t>(start + i * step)];
    };
    double top = at(0);
    for (std::int64_t i = 1; i < length; ++i) top = std::max(top, at(i));
    double sum = 0;
    for (std::int64_t i = 0; i < length; ++i) sum += at(i) = std::exp(at(i) - top);
    for (std::int64_t i = 0; i < length; ++i) at(i) /= sum;
  }
  return {Tensor::from_doubles(x.dtype(), x.shape(), y)};
}

}  // namespace op::softmax

ANEMONE_DEFINE_OP(softmax) = {
    .name = "softmax",
    .says = "y = exp(x - max(x)) / sum(exp(x - max(x))) along axis",
    .inputs = op::softmax::kInputs,
    .infer = op::softmax::infer,
    .eval = op::softmax::eval,
};

}  // namespace anemone::mil
