#include "anemone/mil/ops/constexpr.h"

namespace anemone::mil {
namespace op::constexpr_sparse_blockwise_shift_scale {

constexpr InputDef kInputs[] = {
    {.name = "data_mask",
     .dtypes = bit(DType::kU1),
     .min_rank = 1,
     .max_rank = 7,
     .is_const = true},
    {.name = "nonzero_data",
     .dtypes = kShiftScaleDTypes,
     .min_rank = 1,
     .max_rank = 1,
     .is_const = true},
    {.name = "scale", .dtypes = kFloats, .min_rank = 1, .max_rank = 7, .is_const = true},
    {.name = "offset",
     .dtypes = kShiftScaleDTypes,
     .min_rank = 1,
     .max_rank = 7,
     .is_const = true,
     .is_optional = true},
};

std::vector<Type> infer(const Call& call) {
  const Type& values = call.type("nonzero_data");
  const Tensor* mask = call.find_tensor("data_mask");
  if (mask != nullptr) check_sparse(call, "nonzero_data", *mask);
  check_blocks(call, call.shape("data_mask"), values.dtype);
  return {call.type("data_mask"), Type::tensor(call.dtype("scale"), values.shape)};
}

std::vector<Tensor> eval(const Call& call) {
  infer(resolved(call));
  const Tensor& mask = call.tensor("data_mask");
  const Tensor y = shifted_and_scaled(dense(call.tensor("nonzero_data"), mask),
                                      call.tensor("scale"), call.find_tensor("offset"));
  return {mask, kept(y, mask)};
}

}  // namespace op::constexpr_sparse_blockwise_shift_scale

ANEMONE_DEFINE_OP(constexpr_sparse_blockwise_shift_scale) = {
    .name = "constexpr_sparse_blockwise_shift_scale",
    .since = Opset::kIos18,
    .says =
        "constexpr_blockwise_shift_scale where the mask is set; gives the mask and the values "
        "there",
    .inputs = op::constexpr_sparse_blockwise_shift_scale::kInputs,
    .infer = op::constexpr_sparse_blockwise_shift_scale::infer,
    .eval = op::constexpr_sparse_blockwise_shift_scale::eval,
};

}  // namespace anemone::mil
