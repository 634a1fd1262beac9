#include "anemone/mil/ops/constexpr.h"

namespace anemone::mil {
namespace op::constexpr_blockwise_shift_scale {

constexpr InputDef kInputs[] = {
    {.name = "data", .dtypes = kShiftScaleDTypes, .min_rank = 1, .max_rank = 7, .is_const = true},
    {.name = "scale", .dtypes = kFloats, .min_rank = 1, .max_rank = 7, .is_const = true},
    {.name = "offset",
     .dtypes = kShiftScaleDTypes,
     .min_rank = 1,
     .max_rank = 7,
     .is_const = true,
     .is_optional = true},
};

std::vector<Type> infer(const Call& call) {
  const Type& data = call.type("data");
  check_blocks(call, data.shape, data.dtype);
  return {Type::tensor(call.dtype("scale"), data.shape)};
}

std::vector<Tensor> eval(const Call& call) {
  resolved_type(call);
  return {
      shifted_and_scaled(call.tensor("data"), call.tensor("scale"), call.find_tensor("offset"))};
}

}  // namespace op::constexpr_blockwise_shift_scale

ANEMONE_DEFINE_OP(constexpr_blockwise_shift_scale) = {
    .name = "constexpr_blockwise_shift_scale",
    .since = Opset::kIos18,
    .says = "y = scale (data - offset), one scale and offset for each block",
    .inputs = op::constexpr_blockwise_shift_scale::kInputs,
    .infer = op::constexpr_blockwise_shift_scale::infer,
    .eval = op::constexpr_blockwise_shift_scale::eval,
};

}  // namespace anemone::mil
