#include "anemone/mil/ops/filling.h"

namespace anemone::mil {
namespace op::fill_like {

constexpr InputDef kInputs[] = {{.name = "ref_tensor", .dtypes = kMovable}, kFillValue};

std::vector<Type> infer(const Call& call) {
  Type type = call.type("ref_tensor");
  type.dtype = fill_dtype(call);
  return {type};
}

std::vector<Tensor> eval(const Call& call) {
  return {filled(call, call.tensor("ref_tensor").shape())};
}

}  // namespace op::fill_like

ANEMONE_DEFINE_OP(fill_like) = {
    .name = "fill_like",
    .since = Opset::kIos16,
    .says = "a tensor of ref_tensor's shape that holds value everywhere",
    .inputs = op::fill_like::kInputs,
    .infer = op::fill_like::infer,
    .eval = op::fill_like::eval,
    .unranked = true,
};

}  // namespace anemone::mil
