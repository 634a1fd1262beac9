#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::cast {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kMovable, .ios17_dtypes = kMovableIos17},
    {.name = "dtype", .dtypes = kStrings, .max_rank = 0, .is_const = true},
};
constexpr Opset kRevised[] = {Opset::kIos17};

DType target(const Call& call) {
  constexpr std::string_view kNames[] = {"fp16", "fp32", "int32", "bool"};
  constexpr std::string_view kNamesIos17[] = {"fp16", "fp32",  "int32", "bool",
                                              "int8", "uint8", "int16", "uint16"};
  const std::string word = call.opset() >= Opset::kIos17 ? one_of(call, "dtype", kNamesIos17)
                                                         : one_of(call, "dtype", kNames);
  return *find_dtype_by_name(word);
}

std::vector<Type> infer(const Call& call) {
  Type type = call.type("x");
  type.dtype = target(call);
  return {type};
}

std::vector<Tensor> eval(const Call& call) { return {convert(call.tensor("x"), target(call))}; }

}  // namespace op::cast

ANEMONE_DEFINE_OP(cast) = {
    .name = "cast",
    .revised = op::cast::kRevised,
    .says = "x as dtype: floats to integers towards zero, anything but 0 to true",
    .inputs = op::cast::kInputs,
    .infer = op::cast::infer,
    .eval = op::cast::eval,
    .unranked = true,
};

}  // namespace anemone::mil
