#include "anemone/mil/ops/lists.h"

namespace anemone::mil {
namespace op::list_write {

constexpr InputDef kInputs[] = {kList, kListIndex, {.name = "value", .dtypes = kListDTypes}};

std::vector<Type> infer(const Call& call) {
  require_element(call, call.type("value"));
  return {call.type("ls")};
}

}  // namespace op::list_write

ANEMONE_DEFINE_OP(list_write) = {
    .name = "list_write",
    .says = "the list with value at index",
    .inputs = op::list_write::kInputs,
    .infer = op::list_write::infer,
};

}  // namespace anemone::mil
