#include "anemone/mil/ops/indexing.h"

namespace anemone::mil {
namespace op::gather_nd {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kNumbers, .min_rank = 1, .ios17_dtypes = kGatherableIos17},
    {.name = "indices",
     .dtypes = kGatherIndices,
     .min_rank = 1,
     .ios17_dtypes = kGatherIndicesIos17},
    {.name = "batch_dims",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{0},
     .since = Opset::kIos16},
    kValidateIndices,
};
constexpr Opset kRevised[] = {Opset::kIos16, Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const Shape& indices = call.shape("indices");
  const std::int64_t batch = call.integer("batch_dims");
  const std::int64_t depth = indices.back();
  if (depth == kUnknown) call.fail("parameter 'indices' has a last extent that is not known");
  if (batch < 0 || batch >= static_cast<std::int64_t>(indices.size()) || depth > x.rank() - batch) {
    call.fail("takes indices of " + std::to_string(depth) + " axes behind " +
              std::to_string(batch) + " batch axes of x, " + anemone::to_string(x.shape));
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch); ++i) {
    if (!may_equal(x.shape[i], indices[i])) {
      call.fail("x, " + anemone::to_string(x.shape) + ", and indices, " +
                anemone::to_string(indices) + ", differ in batch axis " + std::to_string(i));
    }
  }
  return {Type::tensor(x.dtype,
                       joined(extents(indices, 0, static_cast<std::int64_t>(indices.size()) - 1),
                              extents(x.shape, batch + depth, x.rank())))};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  const Shape& indices_shape = call.tensor("indices").shape();
  const std::vector<std::int64_t> indices = call.tensor("indices").to_ints();
  const Shape x_strides = row_major_strides(x.shape());
  const Shape indices_strides = row_major_strides(indices_shape);
  const auto batch = static_cast<std::size_t>(call.integer("batch_dims"));
  const auto depth = static_cast<std::size_t>(indices_shape.back());
  const std::size_t lead = indices_shape.size() - 1;  // axes of y that indices give
  return {rearranged(x, type.shape, [&](const Shape& at) {
    std::int64_t which = 0;
    std::int64_t from = 0;
    for (std::size_t i = 0; i < lead; ++i) which += at[i] * indices_strides[i];
    for (std::size_t i = 0; i < batch; ++i) from += at[i] * x_strides[i];
    for (std::size_t i = 0; i < depth; ++i) {
      const std::int64_t index = indices[static_cast<std::size_t>(which) + i];
      from += placed_index(call, index, x.shape()[batch + i]) * x_strides[batch + i];
    }
    for (std::size_t i = lead; i < at.size(); ++i) {
      from += at[i] * x_strides[batch + depth + i - lead];
    }
    return from;
  })};
}

}  // namespace op::gather_nd

ANEMONE_DEFINE_OP(gather_nd) = {
    .name = "gather_nd",
    .revised = op::gather_nd::kRevised,
    .says = "y[i, ..] = x[indices[i, 0], indices[i, 1], .., ..], apart for each batch",
    .inputs = op::gather_nd::kInputs,
    .infer = op::gather_nd::infer,
    .eval = op::gather_nd::eval,
};

}  // namespace anemone::mil
