#include "anemone/mil/ops/lists.h"

namespace anemone::mil {
namespace op::list_length {

constexpr InputDef kInputs[] = {kList};

std::vector<Type> infer(const Call&) { return {Type::scalar(DType::kI32)}; }

}  // namespace op::list_length

ANEMONE_DEFINE_OP(list_length) = {
    .name = "list_length",
    .says = "how many tensors the list holds",
    .inputs = op::list_length::kInputs,
    .infer = op::list_length::infer,
};

}  // namespace anemone::mil
