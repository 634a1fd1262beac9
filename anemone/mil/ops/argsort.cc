#include "anemone/mil/ops/lines.h"

namespace anemone::mil {
namespace op::argsort {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kNumbers, .min_rank = 1},
    {.name = "axis",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{-1}},
    {.name = "ascending", .dtypes = kBools, .max_rank = 0, .is_const = true, .otherwise = false},
};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  call.axis("axis", x.rank());
  return {Type::tensor(DType::kI32, x.shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Tensor& x = call.tensor("x");
  const auto axis = static_cast<std::size_t>(call.axis("axis", x.rank()));
  const bool ascending = call.boolean("ascending");
  const std::vector<double> values = x.to_doubles();
  std::vector<std::int64_t> y(values.size());
  std::vector<double> line(static_cast<std::size_t>(x.shape()[axis]));
  for_each_line(x.shape(), axis, [&](auto at) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      line[i] = values[at(static_cast<std::int64_t>(i))];
    }
    std::int64_t to = 0;
    for (const std::int64_t place : sorted_places(line, ascending)) y[at(to++)] = place;
  });
  return {Tensor::from_ints(DType::kI32, x.shape(), y)};
}

}  // namespace op::argsort

ANEMONE_DEFINE_OP(argsort) = {
    .name = "argsort",
    .says = "the indices that sort x along axis, greatest first unless ascending",
    .inputs = op::argsort::kInputs,
    .infer = op::argsort::infer,
    .eval = op::argsort::eval,
};

}  // namespace anemone::mil
