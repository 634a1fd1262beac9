#include <algorithm>

#include "anemone/engine/fuse.h"

// reshape(tile(expand_dims(x))) that gives each key/value head to several query heads. Attention
// reads the one head again and again, and no copies are made unless somebody else needs them.
namespace anemone::engine {
namespace {

using mil::Op;
using mil::Value;

std::optional<Group> repetition(const FusionGraph& graph, const Op& last) {
  if (last.type() != "reshape" || !graph.is_free(last)) return std::nullopt;
  const Op* tile = graph.sole(last.find_input("x"), "tile");
  if (tile == nullptr) return std::nullopt;
  const Op* expand = graph.sole(tile->find_input("x"), "expand_dims");
  const Value* before = tile->find_input("x");
  const Tensor* reps = graph.known(*tile->find_input("reps"));
  const Shape& shape = before->type.shape;
  if (reps == nullptr || shape.size() < 4) return std::nullopt;
  // One axis of one element repeated; the reshape joins it to the axis in front.
  const std::vector<std::int64_t> times = reps->to_ints();
  if (times.size() != shape.size()) return std::nullopt;
  const auto repeated = std::find_if(times.begin(), times.end(), [](auto t) { return t != 1; });
  if (repeated == times.end()) return std::nullopt;
  const auto axis = static_cast<std::size_t>(repeated - times.begin());
  if (axis == 0 || axis + 2 >= shape.size() || shape[axis] != 1 || *repeated < 1 ||
      std::count(times.begin(), times.end(), 1) + 1 != static_cast<std::ptrdiff_t>(times.size())) {
    return std::nullopt;
  }
  Shape joined = shape;
  joined[axis - 1] *= *repeated;
  joined.erase(joined.begin() + static_cast<std::ptrdiff_t>(axis));
  if (last.output()->type.shape != joined) return std::nullopt;
  Group group{.fusion = "repeat_kv", .ops = {tile, &last}};
  if (expand != nullptr) group.ops.insert(group.ops.begin(), expand);
  group.is_repetition = true;
  return group;
}

void find(FusionGraph& graph) {
  for (const Op* op : graph.ops()) {
    if (auto group = repetition(graph, *op)) graph.add(std::move(*group));
  }
}

}  // namespace

ANEMONE_DEFINE_FUSION(repeat_kv) = {
    .name = "repeat_kv",
    .says = "reshape(tile(expand_dims(x))): attention reads each head where it lies",
    .find = find};

}  // namespace anemone::engine
