#include "anemone/mil/ops/lines.h"

namespace anemone::mil {
namespace op::cumsum {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kNumbers, .min_rank = 1},
    {.name = "axis",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{0}},
    {.name = "exclusive", .dtypes = kBools, .max_rank = 0, .is_const = true, .otherwise = false},
    {.name = "reverse", .dtypes = kBools, .max_rank = 0, .is_const = true, .otherwise = false},
};

std::vector<Type> infer(const Call& call) {
  call.axis("axis", call.type("x").rank());
  return {call.type("x")};
}

std::vector<Tensor> eval(const Call& call) {
  const Tensor& x = call.tensor("x");
  const auto axis = static_cast<std::size_t>(call.axis("axis", x.rank()));
  const bool exclusive = call.boolean("exclusive");
  const bool reverse = call.boolean("reverse");
  const std::int64_t length = x.shape()[axis];
  std::vector<double> y = x.to_doubles();
  for_each_line(x.shape(), axis, [&](auto at) {
    double sum = 0;
    for (std::int64_t i = 0; i < length; ++i) {
      double& element = y[at(reverse ? length - 1 - i : i)];
      const double before = sum;
      sum += element;
      element = exclusive ? before : sum;
    }
  });
  return {Tensor::from_doubles(x.dtype(), x.shape(), y)};
}

}  // namespace op::cumsum

ANEMONE_DEFINE_OP(cumsum) = {
    .name = "cumsum",
    .says =
        "y[i] = sum of x up to and with i along axis (up to i if exclusive; from the end if "
        "reverse)",
    .inputs = op::cumsum::kInputs,
    .infer = op::cumsum::infer,
    .eval = op::cumsum::eval,
};

}  // namespace anemone::mil
