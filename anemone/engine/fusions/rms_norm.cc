#include <algorithm>

#include "anemone/engine/cone.h"

// x / sqrt(mean(x^2) + epsilon), perhaps times gamma, in whatever ops it is spelled: a square by
// square, mul, pow or reduce_sum_square; rsqrt, a power of -0.5, or sqrt and a division; casts in
// between. Along any axes that lie side by side: channels in front of places, too. A norm of length
// one (reduce_l2_norm, or a sum for the mean) is of the kind.
namespace anemone::engine {
namespace {

bool is_rms_norm(const Cone& cone) {
  const bool has_norm = cone.has("reduce_l2_norm");
  const bool has_root = has_norm || cone.has("rsqrt") || cone.has("sqrt") || cone.has("pow");
  const bool has_mean = has_norm || cone.has("reduce_mean") || cone.has("reduce_sum") ||
                        cone.has("reduce_sum_square");
  // The norm itself, not the root alone.
  const bool is_whole = std::none_of(cone.rows.begin(), cone.rows.end(), [&](const auto* op) {
    return op->type().starts_with("reduce_") &&
           op->output()->type.shape == cone.rows.front()->output()->type.shape;
  });
  // A norm of what is added to a norm, as behind and in front of residual sums, is of the kind.
  return is_whole && has_root && has_mean && cone.count_reductions() >= 1 && !cone.has("concat") &&
         (cone.has("mul") || cone.has("real_div"));
}

void find(FusionGraph& graph) { find_cones(graph, "rms_norm", {.by_rows = true}, is_rms_norm); }

}  // namespace

ANEMONE_DEFINE_FUSION(rms_norm) = {
    .name = "rms_norm",
    .says =
        "x / sqrt(mean(x^2) + epsilon) * gamma, or divided by its length: one row at a time, or a "
        "block of rows that lie across",
    .find = find};

}  // namespace anemone::engine
