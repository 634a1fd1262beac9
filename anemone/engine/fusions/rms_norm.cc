#include <algorithm>

#include "anemone/engine/cone.h"

// x / sqrt(mean(x^2) + epsilon), perhaps times gamma, in whatever ops it is spelled: a square by
// square, mul, pow or reduce_sum_square; rsqrt, or sqrt and a division; casts in between.
namespace anemone::engine {
namespace {

bool is_rms_norm(const Cone& cone) {
  const bool has_root = cone.has("rsqrt") || cone.has("sqrt") || cone.has("pow");
  const bool has_mean =
      cone.has("reduce_mean") || cone.has("reduce_sum") || cone.has("reduce_sum_square");
  // The norm itself, not the root alone.
  const bool is_whole = std::none_of(cone.rows.begin(), cone.rows.end(), [&](const auto* op) {
    return op->type().starts_with("reduce_") &&
           op->output()->type.shape == cone.rows.front()->output()->type.shape;
  });
  return is_whole && has_root && has_mean && cone.count_reductions() == 1 && !cone.has("concat") &&
         (cone.has("mul") || cone.has("real_div"));
}

void find(FusionGraph& graph) { find_cones(graph, "rms_norm", {.by_rows = true}, is_rms_norm); }

}  // namespace

ANEMONE_DEFINE_FUSION(rms_norm) = {
    .name = "rms_norm",
    .says = "x / sqrt(mean(x^2) + epsilon) * gamma along the last axes: one row at a time",
    .find = find};

}  // namespace anemone::engine
