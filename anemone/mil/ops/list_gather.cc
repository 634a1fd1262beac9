#include "anemone/mil/ops/lists.h"

namespace anemone::mil {
namespace op::list_gather {

constexpr InputDef kInputs[] = {kList, kListIndices};

std::vector<Type> infer(const Call& call) {
  Type type = element_of(call.type("ls"));
  type.shape.insert(type.shape.begin(), call.shape("indices")[0]);
  return {type};
}

}  // namespace op::list_gather

ANEMONE_DEFINE_OP(list_gather) = {
    .name = "list_gather",
    .says = "the tensors at indices of the list, stacked along a first axis",
    .inputs = op::list_gather::kInputs,
    .infer = op::list_gather::infer,
};

}  // namespace anemone::mil
