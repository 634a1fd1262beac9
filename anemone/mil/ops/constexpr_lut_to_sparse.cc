#include "anemone/mil/ops/constexpr.h"

namespace anemone::mil {
namespace op::constexpr_lut_to_sparse {

constexpr InputDef kInputs[] = {
    {.name = "indices_mask", .dtypes = bit(DType::kU1), .min_rank = 1, .is_const = true},
    {.name = "indices_nonzero_data",
     .dtypes = kIndexDTypes,
     .min_rank = 1,
     .max_rank = 1,
     .is_const = true},
    {.name = "lut", .dtypes = kTableDTypes, .min_rank = 3, .max_rank = 7, .is_const = true},
    kVectorAxis,
};

std::vector<Type> infer(const Call& call) {
  const Type& mask = call.type("indices_mask");
  const Type& values = call.type("indices_nonzero_data");
  const Tensor* known = call.find_tensor("indices_mask");
  if (known != nullptr) check_sparse(call, "indices_nonzero_data", *known);
  const Shape shape = table_shape(call, mask.shape, values.dtype, call.shape("lut"));
  const std::int64_t count = values.shape[0];
  return {
      Type::tensor(DType::kU1, shape),
      Type::tensor(call.dtype("lut"),
                   {count == kUnknown ? kUnknown : times(call, count, call.shape("lut").back())})};
}

std::vector<Tensor> eval(const Call& call) {
  infer(resolved(call));
  const Tensor& mask = call.tensor("indices_mask");
  const Tensor& lut = call.tensor("lut");
  const std::size_t axis = vector_axis(call, mask.shape());
  const Tensor values = looked_up(dense(call.tensor("indices_nonzero_data"), mask), lut, axis);
  // The mask, each bit as often as an entry of the table is long.
  const Shape strides = row_major_strides(mask.shape());
  const Tensor spread = rearranged(mask, values.shape(), [&](Shape index) {
    index[axis] /= lut.shape().back();
    return dot(index, strides);
  });
  return {spread, kept(values, spread)};
}

}  // namespace op::constexpr_lut_to_sparse

ANEMONE_DEFINE_OP(constexpr_lut_to_sparse) = {
    .name = "constexpr_lut_to_sparse",
    .since = Opset::kIos18,
    .says =
        "constexpr_lut_to_dense where the mask is set; gives the mask of the result and its "
        "values there",
    .inputs = op::constexpr_lut_to_sparse::kInputs,
    .infer = op::constexpr_lut_to_sparse::infer,
    .eval = op::constexpr_lut_to_sparse::eval,
};

}  // namespace anemone::mil
