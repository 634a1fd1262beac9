#include "anemone/engine/cone.h"

// What is done to each element of a product or a convolution, in the memory of its result:
// activations of one op or several, scales, residual sums.
namespace anemone::engine {
namespace {

bool follows_a_product(const Cone& cone) { return cone.core != nullptr; }

void find(FusionGraph& graph) {
  find_cones(graph, "activation", {.takes_core = true}, follows_a_product);
}

}  // namespace

ANEMONE_DEFINE_FUSION(activation) = {
    .name = "activation",
    .says =
        "linear, matmul, conv or conv_transpose, and what is done to each element of the "
        "result, in the memory of the result",
    .find = find};

}  // namespace anemone::engine
