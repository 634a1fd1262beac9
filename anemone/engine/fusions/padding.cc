#include <algorithm>

#include "anemone/engine/fuse.h"

// Zeros put around the spatial axes by an op of their own, in front of a convolution: its windows
// reach outside instead.
namespace anemone::engine {
namespace {

using mil::Op;
using mil::Value;

bool pads_spatial_zeros(const FusionGraph& graph, const Op& pad) {
  const Tensor* amounts = graph.known(*pad.find_input("pad"));
  const Value* mode = pad.find_input("mode");
  const Tensor* spelled = mode == nullptr ? nullptr : graph.known(*mode);
  const Value* constant = pad.find_input("constant_val");
  if (amounts == nullptr || (spelled != nullptr && spelled->strings()[0] != "constant") ||
      (constant != nullptr && graph.number(constant) != 0.0)) {
    return false;
  }
  const std::vector<std::int64_t> given = amounts->to_ints();
  const std::size_t all = 2 * pad.output()->type.shape.size();
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (all - given.size() + i < 4 && given[i] != 0) return false;
  }
  return true;
}

void find(FusionGraph& graph) {
  for (const Op* op : graph.ops()) {
    if (op->type() != "conv" || !graph.is_free(*op)) continue;
    // A kernel of one element is a product, which has no windows.
    const Shape& weight = op->find_input("weight")->type.shape;
    if (std::all_of(weight.begin() + 2, weight.end(), [](auto extent) { return extent == 1; })) {
      continue;
    }
    const Op* pad = graph.sole(op->find_input("x"), "pad");
    if (pad == nullptr || !pads_spatial_zeros(graph, *pad)) continue;
    Group group{.fusion = "padding", .ops = {pad, op}};
    group.core = op;
    group.padding = pad;
    graph.add(std::move(group));
  }
}

}  // namespace

ANEMONE_DEFINE_FUSION(padding) = {
    .name = "padding",
    .says = "conv(pad(x)) with zeros around the spatial axes: windows that reach outside of x",
    .find = find};

}  // namespace anemone::engine
