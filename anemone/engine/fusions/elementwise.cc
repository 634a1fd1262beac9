#include "anemone/engine/cone.h"

// Chains of ops that make each element from the elements at that place.
namespace anemone::engine {
namespace {

bool is_chain(const Cone& cone) { return cone.rows.size() >= 2; }

void find(FusionGraph& graph) { find_cones(graph, "elementwise", {}, is_chain); }

}  // namespace

ANEMONE_DEFINE_FUSION(elementwise) = {
    .name = "elementwise",
    .says = "ops that make each element from those at that place: a piece of a row at a time",
    .find = find};

}  // namespace anemone::engine
