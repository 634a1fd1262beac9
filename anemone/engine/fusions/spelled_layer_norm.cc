#include "anemone/engine/cone.h"

// (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon), perhaps times gamma plus beta, in ops of
// its own.
namespace anemone::engine {
namespace {

bool is_layer_norm(const Cone& cone) {
  const bool has_root = cone.has("rsqrt") || cone.has("sqrt") || cone.has("pow");
  return has_root && cone.count_reductions() >= 2 && cone.has("sub") && !cone.has("concat") &&
         (cone.has("mul") || cone.has("real_div"));
}

void find(FusionGraph& graph) { find_cones(graph, "layer_norm", {.by_rows = true}, is_layer_norm); }

}  // namespace

ANEMONE_DEFINE_FUSION(spelled_layer_norm) = {.name = "layer_norm",
                                             .says =
                                                 "(x - mean) / sqrt(variance + epsilon) * gamma + "
                                                 "beta in ops of its own: one row at a time, "
                                                 "or a block of rows that lie across",
                                             .find = find};

}  // namespace anemone::engine
