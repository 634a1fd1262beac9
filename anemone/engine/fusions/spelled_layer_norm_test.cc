#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

TEST(LayerNormFusion, HasTheGoldensBeforeAndAfter) { check_fusion_goldens("spelled_layer_norm"); }

}  // namespace
}  // namespace anemone::engine
