#include "anemone/mil/ops/indexing.h"

namespace anemone::mil {
namespace op::gather {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kNumbers, .min_rank = 1, .ios17_dtypes = kGatherableIos17},
    {.name = "indices", .dtypes = kGatherIndices, .ios17_dtypes = kGatherIndicesIos17},
    {.name = "axis",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{0}},
    {.name = "batch_dims",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{0},
     .since = Opset::kIos16},
    kValidateIndices,
};
constexpr Opset kRevised[] = {Opset::kIos16, Opset::kIos17};

std::int64_t batch_dims(const Call& call) {
  const std::int64_t count = call.integer("batch_dims");
  const std::int64_t most = std::min(call.type("x").rank() - 1, call.type("indices").rank());
  if (count < 0 || count > most) {
    call.fail("parameter 'batch_dims' is " + std::to_string(count) + "; allowed: 0 to " +
              std::to_string(most));
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    if (!may_equal(call.shape("x")[i], call.shape("indices")[i])) {
      call.fail("x, " + anemone::to_string(call.shape("x")) + ", and indices, " +
                anemone::to_string(call.shape("indices")) + ", differ in batch axis " +
                std::to_string(i));
    }
  }
  return count;
}

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const Shape& indices = call.shape("indices");
  const std::int64_t axis = call.axis("axis", x.rank());
  const std::int64_t batch = batch_dims(call);
  if (axis < batch) {
    call.fail("gathers along axis " + std::to_string(axis) + ", one of the " +
              std::to_string(batch) + " batch axes");
  }
  validate_known_indices(call, x.shape[static_cast<std::size_t>(axis)]);
  Shape shape = joined(extents(x.shape, 0, axis),
                       extents(indices, batch, static_cast<std::int64_t>(indices.size())));
  shape = joined(std::move(shape), extents(x.shape, axis + 1, x.rank()));
  return {Type::tensor(x.dtype, shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Call known = resolved(call);
  const Type type = infer(known).front();
  const Tensor& x = call.tensor("x");
  const Shape& indices_shape = call.tensor("indices").shape();
  const std::vector<std::int64_t> indices = call.tensor("indices").to_ints();
  const Shape x_strides = row_major_strides(x.shape());
  const Shape indices_strides = row_major_strides(indices_shape);
  const auto axis = static_cast<std::size_t>(known.axis("axis", x.rank()));
  const auto batch = static_cast<std::size_t>(batch_dims(known));
  const std::size_t taken = indices_shape.size() - batch;  // axes of y that indices give
  return {rearranged(x, type.shape, [&](const Shape& at) {
    std::int64_t from = 0;
    std::int64_t which = 0;
    for (std::size_t i = 0; i < axis; ++i) from += at[i] * x_strides[i];
    for (std::size_t i = 0; i < batch; ++i) which += at[i] * indices_strides[i];
    for (std::size_t i = 0; i < taken; ++i) which += at[axis + i] * indices_strides[batch + i];
    for (std::size_t i = axis + 1; i < x_strides.size(); ++i) {
      from += at[i - 1 + taken] * x_strides[i];
    }
    const std::int64_t index = indices[static_cast<std::size_t>(which)];
    return from + placed_index(call, index, x.shape()[axis]) * x_strides[axis];
  })};
}

}  // namespace op::gather

ANEMONE_DEFINE_OP(gather) = {
    .name = "gather",
    .revised = op::gather::kRevised,
    .says = "y[.., i, ..] = x[.., indices[i], ..] along axis, apart for each batch",
    .inputs = op::gather::kInputs,
    .infer = op::gather::infer,
    .eval = op::gather::eval,
};

}  // namespace anemone::mil
