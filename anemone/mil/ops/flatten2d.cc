#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::flatten2d {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kMovable, .min_rank = 1},
    {.name = "axis",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{1}},
};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const std::int64_t given = call.integer("axis");
  if (given < -x.rank() || given > x.rank()) {
    call.fail("parameter 'axis' is " + std::to_string(given) +
              "; allowed: " + std::to_string(-x.rank()) + " to " + std::to_string(x.rank()));
  }
  const auto axis = static_cast<std::size_t>(given < 0 ? given + x.rank() : given);
  Shape shape = {1, 1};
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    std::int64_t& extent = shape[i < axis ? 0 : 1];
    extent =
        extent == kUnknown || x.shape[i] == kUnknown ? kUnknown : times(call, extent, x.shape[i]);
  }
  return {Type::tensor(x.dtype, shape)};
}

std::vector<Tensor> eval(const Call& call) {
  return {call.tensor("x").reshaped(resolved_type(call).shape)};
}

}  // namespace op::flatten2d

ANEMONE_DEFINE_OP(flatten2d) = {
    .name = "flatten2d",
    .says = "x as a matrix: the axes before axis are its rows, the others its columns",
    .inputs = op::flatten2d::kInputs,
    .infer = op::flatten2d::infer,
    .eval = op::flatten2d::eval,
};

}  // namespace anemone::mil
