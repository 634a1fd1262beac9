#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

TEST(RotaryFusion, HasTheGoldensBeforeAndAfter) { check_fusion_goldens("rotary"); }

}  // namespace
}  // namespace anemone::engine
