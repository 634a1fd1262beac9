#include "anemone/engine/cone.h"

// silu(gate) * up, with silu as an op or as gate * sigmoid(gate).
namespace anemone::engine {
namespace {

bool is_gate(const Cone& cone) {
  return (cone.has("silu") && cone.has("mul")) || (cone.has("sigmoid") && cone.count("mul") >= 2);
}

void find(FusionGraph& graph) { find_cones(graph, "silu_gate", {.takes_core = true}, is_gate); }

}  // namespace

ANEMONE_DEFINE_FUSION(silu_gate) = {
    .name = "silu_gate",
    .says = "silu(gate) * up, in the memory of the product that gives one of them",
    .find = find};

}  // namespace anemone::engine
