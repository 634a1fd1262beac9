#include "anemone/mil/ops/lists.h"

namespace anemone::mil {
namespace op::list_read {

constexpr InputDef kInputs[] = {kList, kListIndex};

std::vector<Type> infer(const Call& call) { return {element_of(call.type("ls"))}; }

}  // namespace op::list_read

ANEMONE_DEFINE_OP(list_read) = {
    .name = "list_read",
    .says = "the tensor at index of the list",
    .inputs = op::list_read::kInputs,
    .infer = op::list_read::infer,
};

}  // namespace anemone::mil
