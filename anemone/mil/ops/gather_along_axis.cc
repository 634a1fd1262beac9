#include "anemone/mil/ops/indexing.h"

namespace anemone::mil {
namespace op::gather_along_axis {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kNumbers, .min_rank = 1, .ios17_dtypes = kGatherableIos17},
    {.name = "indices",
     .dtypes = kGatherIndices,
     .min_rank = 1,
     .ios17_dtypes = kGatherIndicesIos17},
    {.name = "axis",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{0}},
    kValidateIndices,
};
constexpr Opset kRevised[] = {Opset::kIos16, Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const Shape& indices = call.shape("indices");
  const auto axis = static_cast<std::size_t>(call.axis("axis", x.rank()));
  Shape wanted = x.shape;
  if (indices.size() == wanted.size()) wanted[axis] = indices[axis];
  require_shape(call, "indices", wanted);
  validate_known_indices(call, x.shape[axis]);
  return {Type::tensor(x.dtype, indices)};
}

std::vector<Tensor> eval(const Call& call) {
  resolved_type(call);
  const Tensor& x = call.tensor("x");
  const std::vector<std::int64_t> indices = call.tensor("indices").to_ints();
  const auto axis = static_cast<std::size_t>(call.axis("axis", x.rank()));
  const Shape strides = row_major_strides(x.shape());
  std::size_t next = 0;
  return {rearranged(x, call.tensor("indices").shape(), [&](Shape index) {
    index[axis] = placed_index(call, indices[next++], x.shape()[axis]);
    return dot(index, strides);
  })};
}

}  // namespace op::gather_along_axis

ANEMONE_DEFINE_OP(gather_along_axis) = {
    .name = "gather_along_axis",
    .revised = op::gather_along_axis::kRevised,
    .says = "y[.., i, ..] = x[.., indices[.., i, ..], ..] along axis",
    .inputs = op::gather_along_axis::kInputs,
    .infer = op::gather_along_axis::infer,
    .eval = op::gather_along_axis::eval,
};

}  // namespace anemone::mil
