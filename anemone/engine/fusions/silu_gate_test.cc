#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

TEST(SiluGateFusion, HasTheGoldensBeforeAndAfter) { check_fusion_goldens("silu_gate"); }

}  // namespace
}  // namespace anemone::engine
