#include "anemone/engine/cone.h"

// Rotary position embedding: x * cos + concat(-x2, x1) * sin for the halves x1 and x2 of x, or the
// halves by themselves, x1 * cos - x2 * sin and x2 * cos + x1 * sin, put together at the end.
namespace anemone::engine {
namespace {

bool is_rotation(const Cone& cone) {
  const int sums = cone.count("add") + cone.count("sub");
  const bool has_parts =
      cone.has("slice_by_index") || cone.has("slice_by_size") || cone.has("split");
  return cone.count("concat") == 1 && has_parts && cone.count("mul") >= 2 && sums >= 1 &&
         cone.count_reductions() == 0;
}

void find(FusionGraph& graph) { find_cones(graph, "rotary", {.by_rows = true}, is_rotation); }

}  // namespace

ANEMONE_DEFINE_FUSION(rotary) = {
    .name = "rotary",
    .says = "x * cos + concat(-x2, x1) * sin, or the halves by themselves: one head at a time",
    .find = find};

}  // namespace anemone::engine
