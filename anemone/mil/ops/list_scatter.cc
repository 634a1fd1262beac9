#include "anemone/mil/ops/lists.h"

namespace anemone::mil {
namespace op::list_scatter {

constexpr InputDef kInputs[] = {
    kList, kListIndices, {.name = "value", .dtypes = kListDTypes, .min_rank = 1}};

std::vector<Type> infer(const Call& call) {
  Type element = call.type("value");
  if (!may_equal(element.shape[0], call.shape("indices")[0])) {
    call.fail("puts " + std::to_string(element.shape[0]) + " tensors at " +
              std::to_string(call.shape("indices")[0]) + " indices");
  }
  element.shape.erase(element.shape.begin());
  require_element(call, element);
  return {call.type("ls")};
}

}  // namespace op::list_scatter

ANEMONE_DEFINE_OP(list_scatter) = {
    .name = "list_scatter",
    .says = "the list with value[i] at indices[i]",
    .inputs = op::list_scatter::kInputs,
    .infer = op::list_scatter::infer,
};

}  // namespace anemone::mil
