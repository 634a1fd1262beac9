#include "anemone/mil/ops/filling.h"

namespace anemone::mil {
namespace op::fill {

constexpr InputDef kInputs[] = {
    {.name = "shape", .dtypes = kInt32, .min_rank = 1, .max_rank = 1},
    kFillValue,
};

std::vector<Type> infer(const Call& call) {
  if (call.find_tensor("shape") == nullptr && call.shape("shape")[0] == kUnknown) {
    return {{.dtype = fill_dtype(call), .has_rank = false}};
  }
  return {Type::tensor(fill_dtype(call), spelled_shape(call, "shape"))};
}

std::vector<Tensor> eval(const Call& call) { return {filled(call, resolved_type(call).shape)}; }

}  // namespace op::fill

ANEMONE_DEFINE_OP(fill) = {
    .name = "fill",
    .says = "a tensor of that shape that holds value everywhere",
    .inputs = op::fill::kInputs,
    .infer = op::fill::infer,
    .eval = op::fill::eval,
};

}  // namespace anemone::mil
