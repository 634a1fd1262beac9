#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::tile {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kMovable, .min_rank = 1},
    {.name = "reps", .dtypes = kInt32, .min_rank = 1, .max_rank = 1},
};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const auto reps = find_per_axis(call, "reps", x.rank());
  Shape shape(x.shape.size(), kUnknown);
  for (std::size_t i = 0; reps && i < shape.size(); ++i) {
    if ((*reps)[i] < 1) {
      call.fail("parameter 'reps' holds " + std::to_string((*reps)[i]) +
                "; the least allowed is 1");
    }
    if (x.shape[i] != kUnknown) shape[i] = times(call, x.shape[i], (*reps)[i]);
  }
  return {Type::tensor(x.dtype, shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Tensor& x = call.tensor("x");
  const Shape strides = row_major_strides(x.shape());
  return {rearranged(x, resolved_type(call).shape, [&](const Shape& index) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < index.size(); ++i) at += index[i] % x.shape()[i] * strides[i];
    return at;
  })};
}

}  // namespace op::tile

ANEMONE_DEFINE_OP(tile) = {
    .name = "tile",
    .says = "x repeated reps[i] times along every axis i",
    .inputs = op::tile::kInputs,
    .infer = op::tile::infer,
    .eval = op::tile::eval,
};

}  // namespace anemone::mil
