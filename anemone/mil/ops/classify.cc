#include "anemone/mil/op.h"

namespace anemone::mil {
namespace op::classify {

constexpr InputDef kInputs[] = {
    {.name = "probabilities", .dtypes = bit(DType::kF32)},
    {.name = "classes",
     .dtypes = kStrings | bit(DType::kI64),
     .is_const = true,
     .kinds = kTensors | kLists},
};

// The label, and every label's probability as a dictionary.
std::vector<Type> infer(const Call& call) {
  const Type& probabilities = call.type("probabilities");
  const Tensor& classes = call.tensor("classes");
  if (probabilities.is_static() && element_count(probabilities.shape) != classes.count()) {
    call.fail("has " + std::to_string(classes.count()) + " classes for " +
              std::to_string(element_count(probabilities.shape)) + " probabilities");
  }
  const Type label = Type::scalar(call.dtype("classes"));
  return {label, {.kind = Type::Kind::kDictionary, .parts = {label, Type::scalar(DType::kF64)}}};
}

}  // namespace op::classify

ANEMONE_DEFINE_OP(classify) = {
    .name = "classify",
    .says = "the class of the greatest probability, and each class with its own",
    .inputs = op::classify::kInputs,
    .infer = op::classify::infer,
};

}  // namespace anemone::mil
