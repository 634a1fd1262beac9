#include "anemone/mil/ops/elements.h"

namespace anemone::mil {
namespace op::constexpr_cast {

constexpr InputDef kInputs[] = {
    {.name = "source_val", .dtypes = bit(DType::kF16), .is_const = true},
    {.name = "output_dtype", .dtypes = kStrings, .max_rank = 0, .is_const = true},
};
constexpr Opset kRevised[] = {Opset::kIos18};

std::vector<Type> infer(const Call& call) {
  constexpr std::string_view kAllowed[] = {"fp32"};
  one_of(call, "output_dtype", kAllowed);
  return {Type::tensor(DType::kF32, call.shape("source_val"))};
}

std::vector<Tensor> eval(const Call& call) {
  return {convert(call.tensor("source_val"), DType::kF32)};
}

}  // namespace op::constexpr_cast

ANEMONE_DEFINE_OP(constexpr_cast) = {
    .name = "constexpr_cast",
    .since = Opset::kIos16,
    .revised = op::constexpr_cast::kRevised,
    .says = "an fp16 weight as fp32",
    .inputs = op::constexpr_cast::kInputs,
    .infer = op::constexpr_cast::infer,
    .eval = op::constexpr_cast::eval,
};

}  // namespace anemone::mil
