#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

TEST(ActivationFusion, HasTheGoldensBeforeAndAfter) { check_fusion_goldens("activation"); }

}  // namespace
}  // namespace anemone::engine
