#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::expand_dims {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kMovable, .ios17_dtypes = kMovableIos17},
    {.name = "axes", .dtypes = kInt32, .max_rank = 1, .is_const = true},
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  std::vector<std::int64_t> axes = call.integers("axes");
  if (axes.size() > 16) call.fail("adds " + std::to_string(axes.size()) + " axes");
  const auto rank = x.rank() + static_cast<std::int64_t>(axes.size());
  axes = checked_axes(call, "axes", std::move(axes), rank);
  Shape shape(static_cast<std::size_t>(rank), 0);
  for (const std::int64_t axis : axes) shape[static_cast<std::size_t>(axis)] = 1;
  std::size_t next = 0;
  for (std::int64_t& extent : shape) {
    if (extent == 0) extent = x.shape[next++];
  }
  return {Type::tensor(x.dtype, shape)};
}

std::vector<Tensor> eval(const Call& call) {
  return {call.tensor("x").reshaped(resolved_type(call).shape)};
}

}  // namespace op::expand_dims

ANEMONE_DEFINE_OP(expand_dims) = {
    .name = "expand_dims",
    .revised = op::expand_dims::kRevised,
    .says = "x with axes of extent 1 put in, so that they are axes of y",
    .inputs = op::expand_dims::kInputs,
    .infer = op::expand_dims::infer,
    .eval = op::expand_dims::eval,
};

}  // namespace anemone::mil
